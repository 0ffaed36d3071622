// SPDX-License-Identifier: MIT

/*
 * Records the writes, truncations, deletions and syncs of a process in the files of $RECORDED_FOLDER, in their order, in
 * the file $RECORD (disk-record.ts reads it). Loaded by LD_PRELOAD. A sync takes up to 4 ms, so that other calls overlap
 * it. It fails, after 20 ms, if there is a file $FAILURES/<name of the synced file>.<fsync or fdatasync>, which it removes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { WRITE, TRUNCATE, DELETE, SYNC_BEGINS, SYNC_SUCCEEDS, SYNC_FAILS };

/* In the record, before the bytes of a write. */
struct entry {
  uint32_t kind;
  uint32_t sync;
  int64_t offset;
  int64_t length;
  char name[40];
};

static int record = -1;
static uint32_t syncs;

__attribute__((constructor)) static void open_record(void) {
  record = open(getenv("RECORD"), O_WRONLY | O_APPEND | O_CLOEXEC);
}

/* The name of a path in the folder; "" for the folder, NULL for any other path. */
static const char *name_in_folder(const char *path) {
  const char *folder = getenv("RECORDED_FOLDER");
  size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0) return NULL;
  return path[length] == 0 ? "" : path[length] == '/' ? path + length + 1 : NULL;
}

static const char *name_of(int file, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, size - 1);
  path[length < 0 ? 0 : length] = 0;
  return name_in_folder(path);
}

static void add(enum kind kind, const char *name, uint32_t sync, int64_t offset, const void *bytes, int64_t length) {
  struct entry entry = {kind, sync, offset, length, ""};
  strncpy(entry.name, name, sizeof entry.name - 1);
  struct iovec parts[] = {{&entry, sizeof entry}, {(void *)bytes, length}};
  /* One call, so that the entries of several threads do not mix. */
  if (writev(record, parts, 2) < 0) abort();
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
  ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
  ssize_t written = real(file, bytes, length, offset);
  char path[4096];
  const char *name = name_of(file, path, sizeof path);
  if (name && written > 0) add(WRITE, name, 0, offset, bytes, written);
  return written;
}

int ftruncate64(int file, off64_t length) {
  int (*real)(int, off64_t) = dlsym(RTLD_NEXT, "ftruncate64");
  int result = real(file, length);
  char path[4096];
  const char *name = name_of(file, path, sizeof path);
  if (name && result == 0) add(TRUNCATE, name, 0, length, NULL, 0);
  return result;
}

int unlink(const char *path) {
  int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
  int result = real(path);
  const char *name = name_in_folder(path);
  if (name && result == 0) add(DELETE, name, 0, 0, NULL, 0);
  return result;
}

/* The disks are made from the record alone: the files of the folder need no real sync. */
static int sync_file(int file, const char *function) {
  int (*real)(int) = dlsym(RTLD_NEXT, function);
  char path[4096], failure[8192];
  const char *name = name_of(file, path, sizeof path);
  if (!name) return real(file);
  uint32_t sync = __sync_add_and_fetch(&syncs, 1);
  add(SYNC_BEGINS, name, sync, 0, NULL, 0);
  snprintf(failure, sizeof failure, "%s/%s.%s", getenv("FAILURES"), name, function);
  int has_failed = unlink(failure) == 0;
  usleep(has_failed ? 20000 : rand() % 4000);
  add(has_failed ? SYNC_FAILS : SYNC_SUCCEEDS, name, sync, 0, NULL, 0);
  if (has_failed) errno = EIO;
  return has_failed ? -1 : 0;
}

int fsync(int file) { return sync_file(file, "fsync"); }
int fdatasync(int file) { return sync_file(file, "fdatasync"); }
