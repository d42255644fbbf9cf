/* The compiled equivalents of `summary._summarize` and `time_search._search`: one pass over the
 * records of a batch.
 *
 * They return a result only for valid records. For anything else they return None, and the Python
 * code says what is wrong, so that rules and error messages are in one place. They are built if
 * there is a compiler; without them everything works, but large batches take longer.
 *
 * Layout of a record (magic 2): length, attributes, timestamp delta, offset delta, key, value,
 * count of headers, headers. Numbers are zig-zag varints, except the one byte of attributes.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>

typedef struct {
    int64_t min_timestamp_delta;
    int64_t max_timestamp_delta;
    int64_t null_key_count;
    int64_t part_count;
} Summary;

typedef struct {
    int64_t timestamp_delta;
    int64_t offset_delta;
    int64_t key_length;
    int64_t header_count;
} Record;

/* Read a number of at most nine bytes, which fit into 64 bits; return 0 if there is none. */
static inline int
read_varint(const uint8_t **at, const uint8_t *end, int64_t *number)
{
    uint64_t raw = 0;
    const uint8_t *position = *at;
    for (int shift = 0; shift < 63; shift += 7) {
        if (position == end) {
            return 0;
        }
        uint8_t byte = *position++;
        raw |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *at = position;
            *number = (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
            return 1;
        }
    }
    return 0;
}

/* Skip a length and as many bytes; `least` is the smallest valid length. */
static inline int
skip_bytes(const uint8_t **at, const uint8_t *end, int64_t least, int64_t *length)
{
    if (!read_varint(at, end, length) || *length < least || *length > end - *at) {
        return 0;
    }
    *at += *length > 0 ? *length : 0;
    return 1;
}

/* Skip one valid record with at most `most_headers` headers; return 0 if there is none. */
static inline int
read_record(const uint8_t **start, const uint8_t *end, int64_t most_headers, Record *out)
{
    const uint8_t *at = *start;
    int64_t length;
    if (!read_varint(&at, end, &length) || length < 1 || length > end - at) {
        return 0;
    }
    const uint8_t *record_end = at + length;
    at++; /* Attributes: no rule is about them. */
    if (!read_varint(&at, record_end, &out->timestamp_delta) ||
        !read_varint(&at, record_end, &out->offset_delta) ||
        !skip_bytes(&at, record_end, -1, &out->key_length) ||
        !skip_bytes(&at, record_end, -1, &length) ||
        !read_varint(&at, record_end, &out->header_count) ||
        out->header_count < 0 || out->header_count > most_headers) {
        return 0;
    }
    for (int64_t left = out->header_count; left > 0; left--) {
        if (!skip_bytes(&at, record_end, 0, &length) || !skip_bytes(&at, record_end, -1, &length)) {
            return 0;
        }
    }
    *start = at;
    return at == record_end;
}

/* Return 1 if there are exactly `count` valid records between `at` and `end`. */
static int
summarize(const uint8_t *at, const uint8_t *end, int64_t count, int64_t most_parts, Summary *out)
{
    int64_t parts = count;
    if (count > most_parts) {
        return 0;
    }
    out->min_timestamp_delta = INT64_MAX;
    out->max_timestamp_delta = INT64_MIN;
    out->null_key_count = 0;
    for (int64_t index = 0; index < count; index++) {
        Record record;
        if (!read_record(&at, end, most_parts - parts, &record) || record.offset_delta != index) {
            return 0;
        }
        parts += record.header_count;
        out->null_key_count += record.key_length < 0;
        if (record.timestamp_delta < out->min_timestamp_delta) {
            out->min_timestamp_delta = record.timestamp_delta;
        }
        if (record.timestamp_delta > out->max_timestamp_delta) {
            out->max_timestamp_delta = record.timestamp_delta;
        }
    }
    out->part_count = parts;
    return at == end;
}

/* Find the first record at or above both bounds. Return 1 if it and all records before it are
 * valid. If there is none, all records must be valid, and the offset delta of `found` is -1.
 * `parts` is the number of records and headers that were read. */
static int
search(const uint8_t *at, const uint8_t *end, int64_t count, int64_t most_parts,
       int64_t least_timestamp, int64_t least_offset, Record *found, int64_t *parts)
{
    *parts = 0;
    for (int64_t index = 0; index < count; index++) {
        if (!read_record(&at, end, most_parts - *parts - 1, found) || found->offset_delta < 0) {
            return 0;
        }
        *parts += 1 + found->header_count;
        if (found->timestamp_delta >= least_timestamp && found->offset_delta >= least_offset) {
            return 1;
        }
    }
    found->offset_delta = -1;
    found->timestamp_delta = 0;
    return at == end;
}

PyDoc_STRVAR(summarize_doc,
"summarize(buffer, start, count, most_parts, /)\n--\n\n"
"Return least and greatest timestamp delta, records without a key, and records and headers;\n"
"None unless `buffer` after `start` is exactly `count` valid records with at most\n"
"`most_parts` parts.");

/* More parts than a step may read: the call is from a worker thread, and the node keeps running.
 * Within a step the interpreter's lock is kept, since it may take 5 ms to get it back. */
static inline int
is_outside_of_steps(int64_t most_parts)
{
    return most_parts > 131072;
}

static PyObject *
py_summarize(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t given)
{
    Py_buffer buffer;
    Summary summary;
    int is_sound;
    if (given != 4) {
        PyErr_SetString(PyExc_TypeError, "summarize takes buffer, start, count, most_parts");
        return NULL;
    }
    Py_ssize_t start = PyLong_AsSsize_t(args[1]);
    long long count = PyLong_AsLongLong(args[2]);
    long long most_parts = PyLong_AsLongLong(args[3]);
    if (PyErr_Occurred() || PyObject_GetBuffer(args[0], &buffer, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    if (start < 0 || start > buffer.len) {
        PyBuffer_Release(&buffer);
        PyErr_SetString(PyExc_ValueError, "start is not within the buffer");
        return NULL;
    }
    const uint8_t *end = (const uint8_t *)buffer.buf + buffer.len;
    const uint8_t *at = (const uint8_t *)buffer.buf + start;
    if (is_outside_of_steps(most_parts)) {
        Py_BEGIN_ALLOW_THREADS
        is_sound = summarize(at, end, count, most_parts, &summary);
        Py_END_ALLOW_THREADS
    }
    else {
        is_sound = summarize(at, end, count, most_parts, &summary);
    }
    PyBuffer_Release(&buffer);
    if (!is_sound) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("(LLLL)", (long long)summary.min_timestamp_delta,
                         (long long)summary.max_timestamp_delta,
                         (long long)summary.null_key_count, (long long)summary.part_count);
}

PyDoc_STRVAR(search_doc,
"search(buffer, count, most_parts, least_timestamp_delta, least_offset_delta, /)\n--\n\n"
"Return records and headers that were read, offset delta and timestamp delta of the first of\n"
"`count` records that has the least deltas or greater ones. The offset delta is -1 where none\n"
"has. None unless what was read is sound and has at most `most_parts` parts.");

static PyObject *
py_search(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t given)
{
    Py_buffer buffer;
    Record found;
    int64_t parts;
    int is_sound;
    if (given != 5) {
        PyErr_SetString(PyExc_TypeError, "search takes buffer, count, most_parts and two deltas");
        return NULL;
    }
    long long count = PyLong_AsLongLong(args[1]);
    long long most_parts = PyLong_AsLongLong(args[2]);
    long long least_timestamp = PyLong_AsLongLong(args[3]);
    long long least_offset = PyLong_AsLongLong(args[4]);
    if (PyErr_Occurred() || PyObject_GetBuffer(args[0], &buffer, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    const uint8_t *at = (const uint8_t *)buffer.buf;
    const uint8_t *end = at + buffer.len;
    if (is_outside_of_steps(most_parts)) {
        Py_BEGIN_ALLOW_THREADS
        is_sound = search(at, end, count, most_parts, least_timestamp, least_offset, &found,
                          &parts);
        Py_END_ALLOW_THREADS
    }
    else {
        is_sound = search(at, end, count, most_parts, least_timestamp, least_offset, &found,
                          &parts);
    }
    PyBuffer_Release(&buffer);
    if (!is_sound) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("(LLL)", (long long)parts, (long long)found.offset_delta,
                         (long long)found.timestamp_delta);
}

static PyMethodDef methods[] = {
    {"search", (PyCFunction)(void (*)(void))py_search, METH_FASTCALL, search_doc},
    {"summarize", (PyCFunction)(void (*)(void))py_summarize, METH_FASTCALL, summarize_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_summary",
    .m_doc = "The compiled twins of minikafka.records.summary and time_search.",
    .m_size = 0,
    .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__summary(void)
{
    return PyModuleDef_Init(&module);
}
