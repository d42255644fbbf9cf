"""The parts of minikafka that are compiled, where there is a compiler; see pyproject.toml."""

from setuptools import Extension, setup

setup(
    # One wheel for this version of Python and all later ones.
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    ext_modules=[
        Extension(
            f"minikafka.records.{name}",
            [f"minikafka/records/{name}.c"],
            extra_compile_args=["-O2"],
            py_limited_api=True,
            optional=True,
        )
        for name in ("_compaction", "_summary")
    ],
)
