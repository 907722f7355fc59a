/** The few calls of the C library that Node does not offer, bound once and checked. */
import { constants } from 'node:os'
import koffi from 'koffi'

const library = koffi.load(null)

/** Anything that is passed by address. */
type Bytes = Uint8Array | null

const bind = <Call>(prototype: string): Call => library.func(prototype) as Call

/** The raw calls: each answers -1 when it failed. Give the answer to `checked`. */
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
  listen: bind<(fd: number, backlog: number) => number>('int listen(int fd, int backlog)'),
  setsockopt: bind<(fd: number, level: number, name: number, value: Bytes, length: number) => number>(
    'int setsockopt(int fd, int level, int name, const void* value, unsigned int length)',
  ),
} as const

/** The answer of a call; throws an error with the errno's name as its code when it failed. */
export const checked = (call: string, answer: number): number => {
  if (answer >= 0) return answer
  const errno = koffi.errno()
  const code = Object.entries(constants.errno).find(([, value]) => value === errno)?.[0] ?? `errno ${errno}`
  throw Object.assign(new Error(`${call}: ${code}`), { code, errno, syscall: call })
}
