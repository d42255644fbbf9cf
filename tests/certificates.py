"""Certificates for tests, made by the command `openssl`."""

import subprocess
from pathlib import Path

_EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")


def openssl(*words, folder, text=None):
    done = subprocess.run(
        ["openssl", *map(str, words)],
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class Issued:
    """A certificate with its key; `path` is a PEM file with both."""

    def __init__(self, folder, name):
        self.key = Path(folder, f"{name}.key")
        self.chain = Path(folder, f"{name}.crt")
        self.path = Path(folder, f"{name}.pem")

    def join(self):
        self.path.write_text(self.key.read_text() + self.chain.read_text())
        return self

    def client(self):
        """The properties of a client of Kafka's tools that shows this certificate."""
        return {"ssl.keystore.type": "PEM", "ssl.keystore.location": self.path}


class Authority:
    """An authority; `path` is its own certificate."""

    def __init__(self, folder, name="ca"):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.path = self.folder / f"{name}.crt"
        openssl(
            "req", "-x509", *_EC, "-nodes", "-keyout", f"{name}.key", "-out", self.path.name,
            "-days", 30, "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign",
            folder=folder,
        )  # fmt: skip

    def issue(
        self,
        name,
        subject="/O=Org/CN=node",
        names="DNS:localhost,IP:127.0.0.1",
        validity=("-days", 30),
        password=None,
        more="",
    ):
        issued = Issued(self.folder, name)
        secret = ("-nodes",) if password is None else ("-passout", f"pass:{password}")
        openssl(
            "req", *_EC, *secret, "-utf8", "-keyout", issued.key.name, "-out", f"{name}.csr",
            "-subj", subject, folder=self.folder,
        )  # fmt: skip
        # Without the identifier, contexts of Python 3.13 refuse a certificate.
        (self.folder / f"{name}.ext").write_text(
            f"subjectAltName={names}\nauthorityKeyIdentifier=keyid\n{more}"
        )
        openssl(
            "x509", "-req", "-in", f"{name}.csr", "-CA", self.path.name,
            "-CAkey", f"{self.name}.key", "-CAcreateserial", "-out", issued.chain.name,
            *validity, "-extfile", f"{name}.ext", folder=self.folder,
        )  # fmt: skip
        return issued.join()

    def trusted(self):
        """The properties of a client or node that trusts this authority."""
        return {"ssl.truststore.type": "PEM", "ssl.truststore.location": self.path}


EXPIRED = ("-days", "-1")
"""The validity of a certificate that has expired."""
