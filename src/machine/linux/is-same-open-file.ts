/** Checks whether two descriptors refer to the same open file description. */
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

/** Also false if the kernel does not support kcmp. */
export const isSameOpenFile = (a: ProcessDescriptor, b: ProcessDescriptor): boolean =>
  syscall(KCMP, a.pid, b.pid, KCMP_FILE, a.fd, b.fd) === 0
