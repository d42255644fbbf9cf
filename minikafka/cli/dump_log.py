"""kafka-dump-log: print the content of a log, index, snapshot or checkpoint file.

Options and output are those of Kafka's DumpLogSegments, so that scripts that read it keep working.
"""

import argparse
import sys
from collections.abc import Sequence

from minikafka import __version__
from minikafka.cli._numbers import number
from minikafka.commands.dump_log import UNBOUNDED, DumpOptions, dump_files


def main(argv: Sequence[str] | None = None) -> int:
    """Dump the files named in `argv`; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="kafka-dump-log",
        description="Parse a log file and print what is in it; for a log that looks damaged.",
    )
    add_arguments(parser)
    return run(parser.parse_args(argv))


def run(args: argparse.Namespace) -> int:
    """Dump the files that the options name; return the exit status."""
    return dump_files(
        args.files.split(","),
        DumpOptions(
            deep_iteration=args.deep_iteration,
            print_data_log=args.print_data_log,
            cluster_metadata_decoder=args.cluster_metadata_decoder,
            skip_record_metadata=args.skip_record_metadata,
            index_sanity_check=args.index_sanity_check,
            verify_index_only=args.verify_index_only,
            max_bytes=args.max_bytes,
        ),
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    flag = parser.add_argument
    flag("--version", action="version", version=__version__)
    flag("--files", required=True, metavar="file1,file2,...", help="data and index files to dump")
    flag("--deep-iteration", action="store_true", help="print each record, not only batches")
    flag("--print-data-log", action="store_true", help="print keys and values; implies the former")
    flag("--cluster-metadata-decoder", action="store_true", help="read values as metadata records")
    flag("--skip-record-metadata", action="store_true", help="print only keys and values")
    flag("--index-sanity-check", action="store_true", help="check an index without printing it")
    flag("--verify-index-only", action="store_true", help="compare an index with its log only")
    flag("--max-message-size", type=number(), default=5 * 1024 * 1024, help="of an indexed batch")
    flag("--max-bytes", type=number(), default=UNBOUNDED, help="stop a log after so many bytes")


if __name__ == "__main__":
    sys.exit(main())
