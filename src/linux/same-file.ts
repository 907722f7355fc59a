/** Whether two descriptors, of one process or of two, stand for one opening of a file: one place to read from. */
import { bind } from './libc.ts'

const syscall = bind<
  (number: number, pid1: number, pid2: number, type: number, fd1: number, fd2: number) => number
>('long syscall(long number, long pid1, long pid2, long type, long fd1, long fd2)')

const KCMP = process.arch === 'arm64' ? 272 : 312
const KCMP_FILE = 0

export interface ProcessDescriptor {
  pid: number
  fd: number
}

/** False, too, where the kernel does not say. */
export const isSameOpening = (one: ProcessDescriptor, other: ProcessDescriptor): boolean =>
  syscall(KCMP, one.pid, other.pid, KCMP_FILE, one.fd, other.fd) === 0
