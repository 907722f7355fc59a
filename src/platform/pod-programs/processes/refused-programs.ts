/**
 * Programs that exist in the images of a local cluster, but are not modelled. Without them, a shell would report that they do not exist: a
 * change that harms a local cluster would seem to do nothing.
 */
import type { PodProgram } from '../pod-program.ts'

/** Separated by spaces. */
const GNU_COREUTILS = `
  b2sum base32 basenc chcon chroot cksum comm csplit dir dircolors expand factor fmt fold groups
  hostid install join link logname mkfifo mknod nice nl numfmt paste pathchk pinky pr ptx readlink
  shred shuf split stdbuf stty sum tac timeout truncate tsort tty unexpand unlink users vdir who
`
const UTIL_LINUX_AND_PROCPS = `
  choom chrt dmesg fallocate findmnt flock getopt hardlink ionice ipcrm ipcs logger lsblk lscpu lsipc
  lslocks lsmem lsns mountpoint namei nsenter rev runuser script setpriv setsid su taskset umount
  unshare whereis pidof pidwait pmap pwdx skill slabtop snice sysctl tload vmstat w
`
const OTHERS = `
  start-stop-daemon gdb openssl iptables nft tc node id uname df du free top uptime mount ss netstat
  ip ping stat ln awk strace lsof stress python3 perl less more vi diff tar gzip nproc yes watch od
  xxd hexdump nc nslookup dig telnet traceroute
`
const NOT_MODELLED = `${GNU_COREUTILS}${UTIL_LINUX_AND_PROCPS}${OTHERS}`.trim().split(/\s+/)

const refuseAll: PodProgram = (call) => call.refuse()

export const refusedPrograms: Readonly<Record<string, PodProgram>> = Object.fromEntries(
  NOT_MODELLED.map((name) => [name, refuseAll]),
)
