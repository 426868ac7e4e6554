# SPDX-License-Identifier: Apache-2.0
"""The messages of pprof's profile.proto, described at run time: no generated file. The only user of protobuf.

Names and numbers: github.com/google/pprof, proto/profile.proto.
"""

from __future__ import annotations

from typing import Any

from numaprof.text.messages import Failure

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError:
    raise Failure("pprof needs the Python package protobuf", "pip install protobuf") from None

_PACKAGE = "perftools.profiles"

# Message -> fields in the order of their numbers, from 1: type, name; "*" repeated. None: a number not used here.
_MESSAGES: dict[str, tuple[str | None, ...]] = {
    "Profile": (
        *("*ValueType sample_type", "*Sample sample", "*Mapping mapping", "*Location location", "*Function function"),
        *("*string string_table", None, None, "int64 time_nanos", "int64 duration_nanos"),
        *("ValueType period_type", "int64 period", "*int64 comment", "int64 default_sample_type"),
    ),
    "ValueType": ("int64 type", "int64 unit"),
    "Sample": ("*uint64 location_id", "*int64 value", "*Label label"),
    "Label": ("int64 key", "int64 str", "int64 num", "int64 num_unit"),
    "Mapping": (
        *("uint64 id", "uint64 memory_start", "uint64 memory_limit", "uint64 file_offset", "int64 filename"),
        *("int64 build_id", "bool has_functions", "bool has_filenames", "bool has_line_numbers"),
        "bool has_inline_frames",
    ),
    "Location": ("uint64 id", "uint64 mapping_id", "uint64 address", "*Line line", "bool is_folded"),
    "Line": ("uint64 function_id", "int64 line"),
    "Function": ("uint64 id", "int64 name", "int64 system_name", "int64 filename", "int64 start_line"),
}


def profile_message() -> Any:
    """The class of message Profile."""
    file = descriptor_pb2.FileDescriptorProto(name="profile.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, text in enumerate(fields, 1):
            if text is not None:
                _field(message, number, text)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.Profile"))


def _field(message: Any, number: int, text: str) -> None:
    kind, name = text.lstrip("*").split()
    types = descriptor_pb2.FieldDescriptorProto
    field = message.field.add(name=name, number=number)
    field.label = types.LABEL_REPEATED if text.startswith("*") else types.LABEL_OPTIONAL
    if kind in _MESSAGES:
        field.type, field.type_name = types.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
    else:
        field.type = getattr(types, f"TYPE_{kind.upper()}")
