/* The compiled equivalents of `compaction`: the keys of a record section go into a table of the
 * greatest offset of each key, and a section is compared with that table.
 *
 * As in `_summary.c`, results are only for valid records; for anything else the functions return
 * None, and the Python code says what is wrong. All of them release the interpreter's lock: they
 * run in worker threads, outside of the node's steps.
 *
 * A table is an array of slots of 24 bytes: the 128-bit hash of a key, and its offset. A hash of
 * zeros is an empty slot. Collisions go to the next slot. The hash is SipHash-2-4 with a secret, so
 * that no client can find keys that collide.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define SLOT 24

typedef struct {
    const uint8_t *start; /* Of the length. */
    const uint8_t *rest;  /* After the offset delta: key, value and headers. */
    const uint8_t *end;
    const uint8_t *key;
    int64_t timestamp_delta;
    int64_t offset_delta;
    int64_t key_length;
    int64_t value_length;
    uint8_t attributes;
} Record;

typedef struct {
    uint64_t k0;
    uint64_t k1;
} Secret;

static inline int
read_varint(const uint8_t **at, const uint8_t *end, int64_t *number)
{
    uint64_t raw = 0;
    const uint8_t *position = *at;
    for (int shift = 0; shift < 70; shift += 7) {
        if (position == end) {
            return 0;
        }
        uint8_t byte = *position++;
        if (shift == 63 && byte > 1) {
            return 0;
        }
        raw |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *at = position;
            *number = (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
            return 1;
        }
    }
    return 0;
}

static inline int
skip_bytes(const uint8_t **at, const uint8_t *end, int64_t least, int64_t *length)
{
    if (!read_varint(at, end, length) || *length < least || *length > end - *at) {
        return 0;
    }
    *at += *length > 0 ? *length : 0;
    return 1;
}

static inline int
read_record(const uint8_t **start, const uint8_t *end, Record *out)
{
    const uint8_t *at = *start;
    int64_t length, headers;
    out->start = at;
    if (!read_varint(&at, end, &length) || length < 1 || length > end - at) {
        return 0;
    }
    out->end = at + length;
    out->attributes = *at++;
    if (!read_varint(&at, out->end, &out->timestamp_delta) ||
        !read_varint(&at, out->end, &out->offset_delta) || out->offset_delta < 0) {
        return 0;
    }
    out->rest = at;
    if (!read_varint(&at, out->end, &out->key_length) || out->key_length < -1 ||
        out->key_length > out->end - at) {
        return 0;
    }
    out->key = at;
    at += out->key_length > 0 ? out->key_length : 0;
    if (!skip_bytes(&at, out->end, -1, &out->value_length) ||
        !read_varint(&at, out->end, &headers) || headers < 0) {
        return 0;
    }
    for (; headers > 0; headers--) {
        if (!skip_bytes(&at, out->end, 0, &length) || !skip_bytes(&at, out->end, -1, &length)) {
            return 0;
        }
    }
    *start = at;
    return at == out->end;
}

#define ROTATE(x, b) (((x) << (b)) | ((x) >> (64 - (b))))

static inline void
sip_rounds(uint64_t v[4], int rounds)
{
    while (rounds--) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = ROTATE(v[1], 13) ^ v[0];
        v[3] = ROTATE(v[3], 16) ^ v[2];
        v[0] = ROTATE(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = ROTATE(v[1], 17) ^ v[2];
        v[3] = ROTATE(v[3], 21) ^ v[0];
        v[2] = ROTATE(v[2], 32);
    }
}

static inline uint64_t
little_endian(const uint8_t *at, int64_t length)
{
    uint64_t word = 0;
    for (int64_t index = 0; index < length; index++) {
        word |= (uint64_t)at[index] << (8 * index);
    }
    return word;
}

/* SipHash-2-4 with 128 bits; never all zeros. */
static inline void
hash_key(const Secret *secret, const uint8_t *at, int64_t length, uint64_t out[2])
{
    uint64_t v[4] = {
        secret->k0 ^ 0x736f6d6570736575ULL,
        secret->k1 ^ 0x646f72616e646f6dULL ^ 0xee,
        secret->k0 ^ 0x6c7967656e657261ULL,
        secret->k1 ^ 0x7465646279746573ULL,
    };
    const uint8_t *last = at + (length & ~(int64_t)7);
    for (; at != last; at += 8) {
        uint64_t word = little_endian(at, 8);
        v[3] ^= word;
        sip_rounds(v, 2);
        v[0] ^= word;
    }
    uint64_t word = (uint64_t)length << 56 | little_endian(at, length & 7);
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
    v[2] ^= 0xee;
    sip_rounds(v, 4);
    out[0] = v[0] ^ v[1] ^ v[2] ^ v[3];
    v[1] ^= 0xdd;
    sip_rounds(v, 4);
    out[1] = v[0] ^ v[1] ^ v[2] ^ v[3];
    if (!(out[0] | out[1])) {
        out[1] = 1;
    }
}

/* Return the slot of a hash, or the empty slot where it belongs; NULL if the table is full. */
static inline uint8_t *
find_slot(uint8_t *table, int64_t slots, const uint64_t hash[2])
{
    static const uint8_t empty[16];
    int64_t index = (int64_t)(hash[0] % (uint64_t)slots);
    for (int64_t probes = 0; probes < slots; probes++) {
        uint8_t *slot = table + SLOT * index;
        if (!memcmp(slot, hash, 16) || !memcmp(slot, empty, 16)) {
            return slot;
        }
        index = index + 1 == slots ? 0 : index + 1;
    }
    return NULL;
}

static inline int
is_empty(const uint8_t *slot)
{
    static const uint8_t empty[16];
    return !memcmp(slot, empty, 16);
}

static int
read_secret(PyObject *given, Secret *out)
{
    Py_buffer secret;
    if (PyObject_GetBuffer(given, &secret, PyBUF_SIMPLE) < 0) {
        return -1;
    }
    int is_right = secret.len == 16;
    if (is_right) {
        out->k0 = little_endian(secret.buf, 8);
        out->k1 = little_endian((const uint8_t *)secret.buf + 8, 8);
    }
    PyBuffer_Release(&secret);
    if (!is_right) {
        PyErr_SetString(PyExc_ValueError, "a secret has 16 bytes");
        return -1;
    }
    return 0;
}

static int
get_buffers(PyObject *first, int flags, Py_buffer *one, PyObject *second, Py_buffer *two)
{
    if (PyObject_GetBuffer(first, one, flags) < 0) {
        return -1;
    }
    if (PyObject_GetBuffer(second, two, PyBUF_SIMPLE) < 0) {
        PyBuffer_Release(one);
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(put_keys_doc,
"put_keys(table, secret, section, count, base_offset, start_offset, room, /)\n--\n\n"
"Put the offset of each record with a key, from `start_offset`, into the table.\n\n"
"Return records that were read, keys that are new, and the offset of the last record that was\n"
"put (-1 if none was). Fewer records are read where `room` keys are new, and another one\n"
"would be. None unless the section is exactly `count` valid records.");

static PyObject *
py_put_keys(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *table_given, *secret_given, *section_given;
    Py_buffer table, section;
    Secret secret;
    long long count, base_offset, start_offset, room;
    if (!PyArg_ParseTuple(args, "OOOLLLL", &table_given, &secret_given, &section_given, &count,
                          &base_offset, &start_offset, &room) ||
        read_secret(secret_given, &secret) < 0 ||
        get_buffers(table_given, PyBUF_WRITABLE, &table, section_given, &section) < 0) {
        return NULL;
    }
    const uint8_t *at = section.buf;
    const uint8_t *end = at + section.len;
    int64_t slots = table.len / SLOT;
    long long index, added = 0, last = -1;
    int is_sound = 1, is_full = 0;
    Py_BEGIN_ALLOW_THREADS
    /* All of it, before the table is changed. */
    for (index = 0; index < count && is_sound; index++) {
        Record record;
        is_sound = read_record(&at, end, &record);
    }
    is_sound = is_sound && at == end;
    at = section.buf;
    for (index = 0; index < count && is_sound && !is_full; index++) {
        Record record;
        uint64_t hash[2];
        read_record(&at, end, &record);
        int64_t offset = base_offset + record.offset_delta;
        if (record.key_length < 0 || offset < start_offset) {
            continue;
        }
        hash_key(&secret, record.key, record.key_length, hash);
        uint8_t *slot = find_slot(table.buf, slots, hash);
        if (slot == NULL || is_empty(slot)) {
            if (slot == NULL || added == room) {
                is_full = 1;
                index--;
                continue;
            }
            added++;
            memcpy(slot, hash, 16);
        }
        memcpy(slot + 16, &offset, 8);
        last = offset;
    }
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&table);
    PyBuffer_Release(&section);
    if (!is_sound) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("(LLL)", index, added, last);
}

PyDoc_STRVAR(select_doc,
"select(table, secret, section, count, base_offset, last_mapped_offset, keeps_tombstones, /)\n"
"--\n\n"
"Return which records stay, and the timestamp delta of the first one.\n\n"
"The first part of the result has a byte for each record: 0 if it goes, 1 if it stays, and 3 if\n"
"it stays and has no value. A record after `last_mapped_offset` stays; another one if the table\n"
"has no greater offset for its key, and it has a value, or `keeps_tombstones`. None unless the\n"
"section is exactly `count` valid records.");

static PyObject *
py_select(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *table_given, *secret_given, *section_given;
    Py_buffer table, section;
    Secret secret;
    long long count, base_offset, last_mapped;
    int keeps_tombstones;
    if (!PyArg_ParseTuple(args, "OOOLLLp", &table_given, &secret_given, &section_given, &count,
                          &base_offset, &last_mapped, &keeps_tombstones) ||
        read_secret(secret_given, &secret) < 0) {
        return NULL;
    }
    if (count < 0) {
        Py_RETURN_NONE;
    }
    if (get_buffers(table_given, PyBUF_SIMPLE, &table, section_given, &section) < 0) {
        return NULL;
    }
    uint8_t *stays = NULL;
    PyObject *result = NULL;
    if (count <= section.len) {
        result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)count);
        if (result == NULL) {
            PyBuffer_Release(&table);
            PyBuffer_Release(&section);
            return NULL;
        }
        stays = (uint8_t *)PyBytes_AsString(result);
    }
    const uint8_t *at = section.buf;
    const uint8_t *end = at + section.len;
    int64_t slots = table.len / SLOT, first = 0;
    int is_sound = stays != NULL, has_first = 0;
    Py_BEGIN_ALLOW_THREADS
    for (long long index = 0; index < count && is_sound; index++) {
        Record record;
        is_sound = read_record(&at, end, &record);
        if (!is_sound) {
            break;
        }
        int64_t offset = base_offset + record.offset_delta;
        int is_kept = offset > last_mapped;
        if (!is_kept && record.key_length >= 0 && (record.value_length >= 0 || keeps_tombstones)) {
            uint64_t hash[2];
            hash_key(&secret, record.key, record.key_length, hash);
            uint8_t *slot = find_slot(table.buf, slots, hash);
            int64_t latest = -1;
            if (slot != NULL && !is_empty(slot)) {
                memcpy(&latest, slot + 16, 8);
            }
            is_kept = offset >= latest;
        }
        stays[index] = (uint8_t)(is_kept ? (record.value_length < 0 ? 3 : 1) : 0);
        if (is_kept && !has_first) {
            has_first = 1;
            first = record.timestamp_delta;
        }
    }
    is_sound = is_sound && at == end;
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&table);
    PyBuffer_Release(&section);
    if (!is_sound) {
        Py_XDECREF(result);
        Py_RETURN_NONE;
    }
    return Py_BuildValue("(NL)", result, (long long)first);
}

static inline uint8_t *
write_varint(uint8_t *at, int64_t number)
{
    uint64_t raw = ((uint64_t)number << 1) ^ (uint64_t)(number >> 63);
    while (raw > 0x7F) {
        *at++ = (uint8_t)(raw | 0x80);
        raw >>= 7;
    }
    *at++ = (uint8_t)raw;
    return at;
}

static inline int64_t
varint_size(int64_t number)
{
    uint64_t raw = ((uint64_t)number << 1) ^ (uint64_t)(number >> 63);
    int64_t size = 1;
    for (; raw > 0x7F; raw >>= 7) {
        size++;
    }
    return size;
}

PyDoc_STRVAR(copy_doc,
"copy(section, stays, shift, delta, /)\n--\n\n"
"Return the records of a section that stay, and the greatest of their timestamp deltas.\n\n"
"`stays` is a result of `select` for the same section. Each timestamp delta gets `shift` added,\n"
"or is `delta` where that is not None. None unless the section has valid records.");

static PyObject *
py_copy(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *section_given, *stays_given, *delta_given;
    Py_buffer section, stays;
    long long shift, fixed = 0;
    if (!PyArg_ParseTuple(args, "OOLO", &section_given, &stays_given, &shift, &delta_given)) {
        return NULL;
    }
    int is_fixed = delta_given != Py_None;
    if (is_fixed) {
        fixed = PyLong_AsLongLong(delta_given);
        if (PyErr_Occurred()) {
            return NULL;
        }
    }
    if (get_buffers(section_given, PyBUF_SIMPLE, &section, stays_given, &stays) < 0) {
        return NULL;
    }
    PyObject *result = NULL;
    uint8_t *out = NULL;
    int64_t size = 0, greatest = INT64_MIN;
    int is_sound = 1;
    /* Twice: for the size, and for the copy. */
    for (int pass = 0; pass < 2 && is_sound; pass++) {
        const uint8_t *at = section.buf;
        const uint8_t *end = at + section.len;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t index = 0; index < stays.len && is_sound; index++) {
            Record record;
            is_sound = read_record(&at, end, &record);
            if (!is_sound || !((const uint8_t *)stays.buf)[index]) {
                continue;
            }
            int64_t delta = is_fixed ? fixed : record.timestamp_delta + shift;
            int64_t rest = record.end - record.rest;
            int64_t length = 1 + varint_size(delta) + varint_size(record.offset_delta) + rest;
            if (delta > greatest) {
                greatest = delta;
            }
            if (out == NULL) {
                size += varint_size(length) + length;
                continue;
            }
            out = write_varint(out, length);
            *out++ = record.attributes;
            out = write_varint(out, delta);
            out = write_varint(out, record.offset_delta);
            memcpy(out, record.rest, (size_t)rest);
            out += rest;
        }
        is_sound = is_sound && at == end;
        Py_END_ALLOW_THREADS
        if (!pass && is_sound) {
            result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
            if (result == NULL) {
                PyBuffer_Release(&section);
                PyBuffer_Release(&stays);
                return NULL;
            }
            out = (uint8_t *)PyBytes_AsString(result);
        }
    }
    PyBuffer_Release(&section);
    PyBuffer_Release(&stays);
    if (!is_sound) {
        Py_XDECREF(result);
        Py_RETURN_NONE;
    }
    return Py_BuildValue("(NL)", result, (long long)greatest);
}

static PyMethodDef methods[] = {
    {"copy", py_copy, METH_VARARGS, copy_doc},
    {"put_keys", py_put_keys, METH_VARARGS, put_keys_doc},
    {"select", py_select, METH_VARARGS, select_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_compaction",
    .m_doc = "The compiled twins of minikafka.records.compaction.",
    .m_size = 0,
    .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__compaction(void)
{
    return PyModuleDef_Init(&module);
}
