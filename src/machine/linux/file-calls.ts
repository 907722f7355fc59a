/** System calls on files, folders and mounts that Node does not provide. All are synchronous. A path may be given as bytes. */
import { bind, checked } from './libc.ts'

type Path = string | Uint8Array

const AT_FDCWD = -100
const AT_SYMLINK_NOFOLLOW = 0x100
export const MNT_DETACH = 2

/** Special values of the nanoseconds of `utimensat`. */
export const UTIME_NOW = 0x3fff_ffff
export const UTIME_OMIT = 0x3fff_fffe

/** Seconds and nanoseconds; the latter may be `UTIME_NOW` or `UTIME_OMIT`. */
export type FileTime = readonly [seconds: bigint, nanoseconds: number]

const calls = {
  chroot: bind<(path: Uint8Array) => number>('int chroot(const void* path)'),
  fchdir: bind<(fd: number) => number>('int fchdir(int fd)'),
  mount: bind<(source: string, target: Uint8Array, type: string, flags: number, data: string) => number>(
    'int mount(const char* source, const void* target, const char* type, unsigned long flags, const char* data)',
  ),
  umount2: bind<(target: Uint8Array, flags: number) => number>('int umount2(const void* target, int flags)'),
  getdents64: bind<(fd: number, bytes: Uint8Array, length: number) => number>(
    'long getdents64(int fd, void* bytes, size_t length)',
  ),
  lseek: bind<(fd: number, offset: bigint | number, whence: number) => bigint | number>(
    'int64_t lseek(int fd, int64_t offset, int whence)',
  ),
  mknod: bind<(path: Uint8Array, mode: number, device: number) => number>(
    'int mknod(const void* path, unsigned int mode, unsigned long device)',
  ),
  renameat2: bind<(a: number, from: Uint8Array, b: number, to: Uint8Array, flags: number) => number>(
    'int renameat2(int a, const void* from, int b, const void* to, unsigned int flags)',
  ),
  utimensat: bind<(folder: number, path: Uint8Array, times: Uint8Array, flags: number) => number>(
    'int utimensat(int folder, const void* path, const void* times, int flags)',
  ),
  futimens: bind<(fd: number, times: Uint8Array) => number>('int futimens(int fd, const void* times)'),
  fallocate: bind<(fd: number, mode: number, offset: bigint, length: bigint) => number>(
    'int fallocate(int fd, int mode, int64_t offset, int64_t length)',
  ),
  lgetxattr: bind<(path: Uint8Array, name: Uint8Array, value: Uint8Array, size: number) => number>(
    'long lgetxattr(const void* path, const void* name, void* value, size_t size)',
  ),
  llistxattr: bind<(path: Uint8Array, list: Uint8Array, size: number) => number>(
    'long llistxattr(const void* path, void* list, size_t size)',
  ),
  lsetxattr: bind<
    (path: Uint8Array, name: Uint8Array, value: Uint8Array, size: number, flags: number) => number
  >('int lsetxattr(const void* path, const void* name, const void* value, size_t size, int flags)'),
  lremovexattr: bind<(path: Uint8Array, name: Uint8Array) => number>(
    'int lremovexattr(const void* path, const void* name)',
  ),
}

/** Appends the terminating zero byte. */
const toCString = (path: Path): Uint8Array => Buffer.concat([Buffer.from(path as string), Buffer.alloc(1)])

const toTimes = (times: readonly FileTime[]): Uint8Array => {
  const bytes = Buffer.alloc(32)
  for (const [index, [seconds, nanoseconds]] of times.entries()) {
    bytes.writeBigInt64LE(seconds, index * 16)
    bytes.writeBigInt64LE(BigInt(nanoseconds), index * 16 + 8)
  }
  return bytes
}

/** On failure, each call throws an error with the errno's name as its code. */
export const fileCalls = {
  chroot: (path: Path) => checked('chroot', calls.chroot(toCString(path))),
  fchdir: (fd: number) => checked('fchdir', calls.fchdir(fd)),
  mount: (source: string, target: Path, type: string, flags: number, data: string) =>
    checked('mount', calls.mount(source, toCString(target), type, flags, data)),
  unmount: (target: Path, flags: number) => checked('umount2', calls.umount2(toCString(target), flags)),
  /** Reads the next entries of a folder as `struct linux_dirent64`; returns the number of bytes, 0 at the end. */
  readEntries: (fd: number, bytes: Uint8Array) =>
    checked('getdents64', calls.getdents64(fd, bytes, bytes.length)),
  seek(fd: number, offset: bigint, whence: number): bigint {
    const position = BigInt(calls.lseek(fd, offset, whence))
    if (position < 0n) checked('lseek', -1)
    return position
  },
  mknod: (path: Path, mode: number, device: number) =>
    checked('mknod', calls.mknod(toCString(path), mode, device)),
  rename: (from: Path, to: Path, flags: number) =>
    checked('renameat2', calls.renameat2(AT_FDCWD, toCString(from), AT_FDCWD, toCString(to), flags)),
  /** Does not follow a symbolic link. */
  setTimes: (target: Path | number, ...times: readonly [accessed: FileTime, modified: FileTime]) =>
    typeof target === 'number'
      ? checked('futimens', calls.futimens(target, toTimes(times)))
      : checked(
          'utimensat',
          calls.utimensat(AT_FDCWD, toCString(target), toTimes(times), AT_SYMLINK_NOFOLLOW),
        ),
  allocate: (fd: number, mode: number, offset: bigint, length: bigint) =>
    checked('fallocate', calls.fallocate(fd, mode, offset, length)),
  /** Returns the length of the attribute; does not store it if `value` is empty. */
  getAttribute: (path: Path, name: Path, value: Uint8Array) =>
    checked('lgetxattr', calls.lgetxattr(toCString(path), toCString(name), value, value.length)),
  listAttributes: (path: Path, list: Uint8Array) =>
    checked('llistxattr', calls.llistxattr(toCString(path), list, list.length)),
  setAttribute: (path: Path, name: Path, value: Uint8Array, flags: number) =>
    checked('lsetxattr', calls.lsetxattr(toCString(path), toCString(name), value, value.length, flags)),
  removeAttribute: (path: Path, name: Path) =>
    checked('lremovexattr', calls.lremovexattr(toCString(path), toCString(name))),
} as const
