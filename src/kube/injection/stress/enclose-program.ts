/**
 * Starts a program of the host where it can do no more than the container it is for: chaos objects choose its
 * arguments, and whoever may write those must reach neither the files, the network nor the devices of the host.
 */

/**
 * A root of its own in memory, with the host's programs to read and the processes of the container to see; what is
 * written in it ends with the last who sees it. `/tmp` is but a place that every host has.
 */
const MAKE_ROOT = `
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
mount -n -t proc -o nosuid,nodev,noexec proc proc`

/** As nobody, who owns nothing, and without any way to become more. */
const AS_NOBODY = [
  'setpriv',
  ...['--reuid', '65534', '--regid', '65534', '--clear-groups'],
  ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'],
]

/** Waits to be told before it becomes the program: until then it can be put where every byte counts. */
const WAIT_AND_BECOME = 'read -r go && exec "$@"'

/**
 * The command that enters the namespaces of process `pid` and becomes `command` in its child, once a line has come in.
 * The one that enters stays outside the container, whose end it thus outlives to bury its child: a dead process that
 * nobody buries would keep the container's first process from ending.
 */
export const encloseProgram = (pid: number, command: readonly string[]): readonly string[] => [
  ...['nsenter', '--target', `${pid}`, '--pid', '--net', '--ipc', '--', 'unshare', '--mount'],
  // What the host unmounts must go here, too.
  ...['--propagation', 'slave', '--'],
  ...['/bin/sh', '-c', `${MAKE_ROOT}\nexec chroot . "$@"`, 'sh', ...AS_NOBODY],
  ...['/bin/sh', '-c', WAIT_AND_BECOME, 'sh', ...command],
]
