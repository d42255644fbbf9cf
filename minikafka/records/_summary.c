/* The compiled twin of `summary._summarize`: one pass over the records of a batch.
 *
 * It answers only for sound records. For anything else it returns None, and the Python code beside
 * it says what is wrong; so rules and sentences are in one place. Built where there is a compiler;
 * without it everything works, and large batches take longer.
 *
 * Layout of a record (magic 2): length, attributes, timestamp delta, offset delta, key, value,
 * count of headers, headers. Numbers are zig-zag varints but for the one byte of attributes.
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

/* A number of at most nine bytes, which fit into 64 bits; 0 if there is none. */
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

/* Move over a length and as many bytes; `least` is the smallest length that is allowed. */
static inline int
skip_bytes(const uint8_t **at, const uint8_t *end, int64_t least, int64_t *length)
{
    if (!read_varint(at, end, length) || *length < least || *length > end - *at) {
        return 0;
    }
    *at += *length > 0 ? *length : 0;
    return 1;
}

/* 1 if there are exactly `count` sound records between `at` and `end`. */
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
        int64_t length, timestamp, offset, ignored;
        if (!read_varint(&at, end, &length) || length < 1 || length > end - at) {
            return 0;
        }
        const uint8_t *record_end = at + length;
        at++; /* Attributes: no rule is about them. */
        if (!read_varint(&at, record_end, &timestamp) ||
            !read_varint(&at, record_end, &offset) || offset != index ||
            !skip_bytes(&at, record_end, -1, &length)) {
            return 0;
        }
        out->null_key_count += length < 0;
        if (!skip_bytes(&at, record_end, -1, &length) || !read_varint(&at, record_end, &length)) {
            return 0;
        }
        if (length < 0 || length > most_parts - parts) {
            return 0;
        }
        parts += length;
        for (; length > 0; length--) {
            if (!skip_bytes(&at, record_end, 0, &ignored) ||
                !skip_bytes(&at, record_end, -1, &ignored)) {
                return 0;
            }
        }
        if (at != record_end) {
            return 0;
        }
        if (timestamp < out->min_timestamp_delta) {
            out->min_timestamp_delta = timestamp;
        }
        if (timestamp > out->max_timestamp_delta) {
            out->max_timestamp_delta = timestamp;
        }
    }
    out->part_count = parts;
    return at == end;
}

PyDoc_STRVAR(summarize_doc,
"summarize(buffer, start, count, most_parts, /)\n--\n\n"
"Return least and greatest timestamp delta, records without a key, and records and headers;\n"
"None unless `buffer` from `start` on is exactly `count` sound records with at most\n"
"`most_parts` parts.");

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
    if (buffer.len > 4194304) {
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

static PyMethodDef methods[] = {
    {"summarize", (PyCFunction)(void (*)(void))py_summarize, METH_FASTCALL, summarize_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_summary",
    .m_doc = "The compiled twin of minikafka.records.summary.",
    .m_size = 0,
    .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__summary(void)
{
    return PyModuleDef_Init(&module);
}
