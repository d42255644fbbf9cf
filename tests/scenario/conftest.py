def pytest_addoption(parser):
    parser.addoption(
        "--rewrite", action="store_true", help="write what scenarios do into their files"
    )
