"""The one part of minikafka that is compiled, where there is a compiler; see pyproject.toml."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "minikafka.records._summary",
            ["minikafka/records/_summary.c"],
            extra_compile_args=["-O2"],
            py_limited_api=True,
            optional=True,
        )
    ]
)
