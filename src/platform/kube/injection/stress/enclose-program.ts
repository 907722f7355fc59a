/**
 * Confines a program of the host to the container that it stresses. Chaos objects choose its arguments, and their
 * authors must not reach the files, the network or the devices of the host.
 */

/**
 * Creates a root filesystem in memory with the host's programs, read-only, and the processes of the container. `/proc`
 * is read-only, because a solver that enters this root could otherwise write to the memory of the main process. It is
 * removed with the last process that uses it. `/tmp` is only the mount point, which exists on every host.
 */
const CREATE_ROOT = `
set -e
mount -n -t tmpfs -o mode=755,nosuid,nodev stressor /tmp
cd /tmp
mkdir -m 755 usr dev proc
mkdir -m 1777 tmp
mount -n -o bind,ro /usr usr
for name in bin sbin lib lib32 lib64; do
  if [ -L "/$name" ]; then cp -P "/$name" .
  elif [ -d "/$name" ]; then mkdir "$name"; mount -n -o bind,ro "/$name" "$name"; fi
done
for name in null zero random urandom; do
  : > "dev/$name"
  mount -n -o bind "/dev/$name" "dev/$name"
done
mount -n -t proc -o nosuid,nodev,noexec proc proc
mount -n -o remount,bind,ro,nosuid,nodev,noexec proc`

/** The program that enters the namespaces. It waits for its child, and leads the session. */
export const ENCLOSING_PROGRAM = 'nsenter'

/** Runs as the user nobody, without capabilities and without new privileges. */
const AS_NOBODY = [
  'setpriv',
  ...['--reuid', '65534', '--regid', '65534', '--clear-groups'],
  ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'],
]

/** Waits for a line before executing the program, so that the process can be moved to the control group first. */
const WAIT_AND_EXEC = 'read -r go && exec "$@"'

/**
 * The command that enters the namespaces of process `pid`. Its child process reads a line and then executes `command`.
 * The parent stays outside the container and reaps its child: a zombie would prevent the container's first process
 * from ending.
 */
export const encloseProgram = (pid: number, command: readonly string[]): readonly string[] => [
  ...[ENCLOSING_PROGRAM, '--target', `${pid}`, '--pid', '--net', '--ipc', '--', 'unshare', '--mount'],
  // Unmounts on the host must propagate to the new mount namespace.
  ...['--propagation', 'slave', '--'],
  ...['/bin/sh', '-c', `${CREATE_ROOT}\nexec chroot . "$@"`, 'sh', ...AS_NOBODY],
  ...['/bin/sh', '-c', WAIT_AND_EXEC, 'sh', ...command],
]
