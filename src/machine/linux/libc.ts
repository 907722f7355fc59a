/** Calls of the C library that Node does not provide. */
import { constants } from 'node:os'
import koffi from 'koffi'

const library = koffi.load(null)

/** Data that is passed by address. */
type Bytes = Uint8Array | null

/** Binds a function of the C library by its prototype. */
export const bind = <Call>(prototype: string): Call => library.func(prototype) as Call

/** The raw calls return -1 on failure: pass the result to `checked`. */
export const libc = {
  unshare: bind<(flags: number) => number>('int unshare(int flags)'),
  setns: bind<(fd: number, type: number) => number>('int setns(int fd, int type)'),
  prctl: bind<(option: number, a: number, b: number, c: number, d: number) => number>(
    'int prctl(int option, long a, long b, long c, long d)',
  ),
  pipe2: bind<(ends: [number, number], flags: number) => number>('int pipe2(_Out_ int* ends, int flags)'),
  waitpid: bind<(pid: number, status: [number], options: number) => number>(
    'int waitpid(int pid, _Out_ int* status, int options)',
  ),
  socket: bind<(domain: number, type: number, protocol: number) => number>(
    'int socket(int domain, int type, int protocol)',
  ),
  bind: bind<(fd: number, address: Uint8Array, length: number) => number>(
    'int bind(int fd, const void* address, unsigned int length)',
  ),
  connect: bind<(fd: number, address: Uint8Array, length: number) => number>(
    'int connect(int fd, const void* address, unsigned int length)',
  ),
  listen: bind<(fd: number, backlog: number) => number>('int listen(int fd, int backlog)'),
  accept4: bind<(fd: number, address: Bytes, length: Bytes, flags: number) => number>(
    'int accept4(int fd, void* address, void* length, int flags)',
  ),
  fcntl: bind<(fd: number, command: number, value: number) => number>(
    'int fcntl(int fd, int command, long value)',
  ),
  ioctl: bind<(fd: number, request: number, value: Bytes) => number>(
    'int ioctl(int fd, unsigned long request, void* value)',
  ),
  recv: bind<(fd: number, bytes: Uint8Array, length: number, flags: number) => number>(
    'long recv(int fd, void* bytes, unsigned long length, int flags)',
  ),
  send: bind<(fd: number, bytes: Uint8Array, length: number, flags: number) => number>(
    'long send(int fd, const void* bytes, unsigned long length, int flags)',
  ),
  sendto: bind<
    (
      fd: number,
      bytes: Uint8Array,
      length: number,
      flags: number,
      address: Uint8Array,
      addressLength: number,
    ) => number
  >(
    'long sendto(int fd, const void* bytes, unsigned long length, int flags, const void* address, unsigned int addressLength)',
  ),
  ppoll: bind<(entries: Uint8Array, count: number, timeout: Uint8Array, signals: null) => number>(
    'int ppoll(void* entries, unsigned long count, const void* timeout, const void* signals)',
  ),
  sched_setscheduler: bind<(thread: number, policy: number, parameters: Uint8Array) => number>(
    'int sched_setscheduler(int thread, int policy, const void* parameters)',
  ),
  setsockopt: bind<(fd: number, level: number, name: number, value: Bytes, length: number) => number>(
    'int setsockopt(int fd, int level, int name, const void* value, unsigned int length)',
  ),
  getsockopt: bind<
    (fd: number, level: number, name: number, value: Uint8Array, length: Uint8Array) => number
  >('int getsockopt(int fd, int level, int name, void* value, void* length)'),
  setxattr: bind<(path: string, name: string, value: Uint8Array, size: number, flags: number) => number>(
    'int setxattr(const char* path, const char* name, const void* value, size_t size, int flags)',
  ),
} as const

/** Returns the result of a call; throws an error with the errno's name as its code if it failed. */
export const checked = (call: string, result: number): number => {
  if (result >= 0) return result
  const errno = koffi.errno()
  const code = Object.entries(constants.errno).find(([, value]) => value === errno)?.[0] ?? `errno ${errno}`
  throw Object.assign(new Error(`${call}: ${code}`), { code, errno, syscall: call })
}
