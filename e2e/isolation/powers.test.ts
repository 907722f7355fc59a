/** Tests pods with every privilege that they can request: no privilege gives access to the host. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PodRef } from '#spec'
import { createTrialCluster, type TrialCluster } from '../testing/trial-cluster.ts'

const ALL_CAPABILITIES = { securityContext: { capabilities: { add: ['ALL'] } } }

let trial: TrialCluster
let privileged: PodRef
beforeAll(async () => {
  trial = await createTrialCluster()
  privileged = await trial.startPod({ container: ALL_CAPABILITIES })
})
afterAll(() => trial?.close())

/** Returns Python code that calls a function of the C library, and prints `name: result errno`. */
const cCall = (name: string, ...args: readonly (string | number)[]): string =>
  `answer = libc.${name}(${args.join(', ')}); print('${name}:', answer, ctypes.get_errno())`
const cProgram = (...lines: readonly string[]): string =>
  ['import ctypes, os', 'libc = ctypes.CDLL(None, use_errno=True)', ...lines].join('\n')
const EPERM = 1

describe('a pod cannot request', () => {
  it.each([
    ['to be privileged', { container: { securityContext: { privileged: true } } }, /asks to be privileged/],
    ['the processes of the host', { spec: { hostPID: true } }, /process namespace of the host/],
    ['the shared memory of the host', { spec: { hostIPC: true } }, /IPC namespace of the host/],
    ['a working folder among descriptors', { container: { workingDir: '/proc/self/fd/7' } }, /is in \/proc/],
    [
      'a working folder among descriptors, by another path',
      { container: { workingDir: '/tmp/../proc/./self/fd/8' } },
      /is in \/proc/,
    ],
  ])('%s', async (_, pod, message) => {
    const refusal = await trial.refusal(pod)
    expect(refusal).toMatch(/^CreateContainerError: /)
    expect(refusal).toMatch(message)
  })

  it.each([
    ...['SYS_ADMIN', 'SYS_TIME', 'SYS_MODULE', 'SYS_RAWIO', 'SYS_BOOT', 'DAC_READ_SEARCH', 'MAC_ADMIN'],
    ...['SYSLOG', 'BPF', 'PERFMON', 'CAP_LINUX_IMMUTABLE', 'lease'],
  ])('the capability %s', async (name) => {
    const refusal = await trial.refusal({ container: { securityContext: { capabilities: { add: [name] } } } })
    expect(refusal).toMatch(/^CreateContainerError: .*is not allowed in this cluster$/)
  })

  it('a capability that does not exist', async () => {
    const add = ['FLY']
    expect(await trial.refusal({ container: { securityContext: { capabilities: { add } } } })).toMatch(
      /^CreateContainerError: .*unknown capability "CAP_FLY"$/,
    )
  })

  it('kernel settings outside its network namespace', async () => {
    for (const name of ['kernel.core_pattern', 'net.ipv4/../../kernel/core_pattern']) {
      const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8')
      const sysctls = [{ name, value: '|/tmp/mine' }]
      const outcome = await trial
        .output('cat /proc/sys/kernel/core_pattern', { spec: { securityContext: { sysctls } } })
        .catch((error: Error) => error.message)
      expect(outcome).not.toContain('|/tmp/mine\n')
      expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before)
    }
  })
})

describe('a pod with all available capabilities', () => {
  it('has them, and no others', async () => {
    // IPC_LOCK, IPC_OWNER, NET_ADMIN and NET_BROADCAST in addition to the default ones.
    expect(await trial.sh(privileged, 'grep -E "Cap(Eff|Bnd)|Seccomp:" /proc/self/status')).toBe(
      'CapEff:\t00000000a804fdfb\nCapBnd:\t00000000a804fdfb\nSeccomp:\t2\n'.replaceAll(
        '00000000a804fdfb',
        await expectedMask(),
      ),
    )
  })

  it('changes only its own network', async () => {
    expect(await trial.sh(privileged, 'ip addr add 10.9.9.9/32 dev lo && ip addr show lo')).toContain(
      '10.9.9.9/32',
    )
    expect(JSON.stringify(networkInterfaces())).not.toContain('10.9.9.9')
  })

  it('cannot make system calls that lead out of the container', async () => {
    const output = await trial.python(
      privileged,
      cProgram(
        cCall('mount', 'b"none"', 'b"/mnt"', 'b"tmpfs"', 0, 0),
        cCall('umount2', 'b"/proc/sys"', 2),
        cCall('pivot_root', 'b"/mnt"', 'b"/mnt"').replace('libc.pivot_root(', 'libc.syscall(155, '),
        cCall('setns', 'os.open("/proc/self/ns/net", 0)', 0),
        cCall('unshare', 0x1000_0000),
        cCall('open_by_handle_at', 'os.open("/", 0)', 'ctypes.create_string_buffer(64)', 0),
        cCall('fanotify_init', 0, 0),
        cCall('swapon', 'b"/tmp/x"', 0),
        cCall('reboot', 0),
        cCall('init_module', 0, 0, 'b""').replace('libc.init_module(', 'libc.syscall(175, '),
        cCall('bpf', 0, 0, 0).replace('libc.bpf(', 'libc.syscall(321, '),
        cCall('keyctl', 0, -3, 0).replace('libc.keyctl(', 'libc.syscall(250, '),
        cCall('io_uring_setup', 1, 0).replace('libc.io_uring_setup(', 'libc.syscall(425, '),
        cCall('klogctl', 3, 'ctypes.create_string_buffer(64)', 64),
        cCall('iopl', 3),
        cCall('acct', 'b"/tmp/x"'),
        cCall('sethostname', 'b"mine"', 4),
        cCall('settimeofday', 'ctypes.create_string_buffer(16)', 0),
        cCall('adjtimex', 'ctypes.create_string_buffer(b"\\x01\\0\\0\\0", 256)'),
        cCall('fcntl', 'os.open("/opt/remedium/bin/node", 0)', 1024, 1),
        cCall('socket', 40, 1, 0),
      ),
    )
    const lines = output.trim().split('\n')
    expect(lines).toHaveLength(21)
    for (const line of lines) expect(line).toMatch(new RegExp(`: -1 ${EPERM}$`))
    expect(hostname()).not.toBe('mine')
  })

  it('cannot make them as 32-bit system calls either', async () => {
    // Calls mount through int 0x80, which uses different system call numbers.
    const program = cProgram(
      'import mmap',
      'page = mmap.mmap(-1, 4096, prot=7)',
      // push rbx; mov eax, 21; xor ebx, ebx; int 0x80; pop rbx; ret
      `page.write(bytes.fromhex('53b81500000031dbcd805bc3'))`,
      'code = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))',
      'print(code())',
    )
    expect(await trial.python(privileged, program)).toBe(`-${EPERM}\n`)
  })

  it('cannot change settings of the kernel', async () => {
    const paths = [
      ...['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sys/vm/drop_caches'],
      ...['/proc/sysrq-trigger', '/sys/kernel/uevent_helper', '/sys/power/state', '/sys/module/x'],
      ...['/proc/irq/default_smp_affinity', '/proc/sys/net/ipv4/ip_forward'],
    ]
    for (const path of paths)
      expect(await trial.sh(privileged, `echo x > ${path}`)).toMatch(
        /Read-only file system|Permission denied|Directory nonexistent|No such file/,
      )
  })

  it('cannot read the memory, keys and timers of the kernel', async () => {
    const script =
      'for f in kcore keys timer_list sched_debug; do test -s /proc/$f && cat /proc/$f; done; echo end'
    expect(await trial.sh(privileged, script)).toBe('end\n')
  })

  it('cannot open devices that it creates', async () => {
    const disks = readFileSync('/proc/partitions', 'utf8').trim().split('\n').slice(2)
    const [major, minor] = disks[0]!.trim().split(/\s+/)
    const script = [`mknod /tmp/disk b ${major} ${minor}`, 'head -c 512 /tmp/disk | wc -c']
    const others = ['mem c 1 1', 'kmsg c 1 11', 'fuse c 10 229', 'loop b 7 0', 'kvm c 10 232'].flatMap(
      (device) => [`mknod /tmp/${device}`, `cat /tmp/${device.split(' ')[0]} && echo opened`],
    )
    const output = await trial.sh(privileged, [...script, ...others].join('; '))
    expect(output).toMatch(/^0\n/)
    expect(output).not.toContain('opened')
    expect(output.match(/Operation not permitted|Permission denied/g)).toHaveLength(6)
  })

  it('can open devices only in /dev', async () => {
    const pod = await trial.startPod({
      container: { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
      spec: { volumes: [{ name: 'scratch', emptyDir: {} }] },
    })
    const script =
      'for f in /scratch /usr /tmp; do mknod $f/zero c 1 5 && head -c 1 $f/zero; done; head -c 1 /dev/zero | wc -c'
    expect(await trial.sh(pod, script)).toMatch(/^1\n(head: .*Permission denied\n){3}$/)
  })

  it('cannot leave its control groups', async () => {
    const script =
      'for f in $(awk "\\$3 ~ /^cgroup/ { print \\$2 }" /proc/mounts); do mkdir $f/out; echo 1 > $f/cgroup.procs; echo /tmp/x > $f/release_agent; ls -d $f/out 2> /dev/null; done; cat /proc/self/cgroup'
    const output = await trial.sh(privileged, script)
    expect(output).not.toMatch(/^\/sys\/fs\/cgroup.*out$/m)
    expect(output.match(/Read-only file system/g)!.length % 3).toBe(0)
    // The pod sees its own control group as the root.
    expect(output).not.toContain('remedium')
  })

  it('is still in the container after it escapes its own chroot', async () => {
    const escapeProgram = `
import os
os.makedirs('/tmp/cage', exist_ok=True)
out = os.open('/', os.O_RDONLY)
os.chroot('/tmp/cage')
os.fchdir(out)
for _ in range(64): os.chdir('..')
os.chroot('.')
print(sorted(os.listdir('/')))`
    const files = await trial.python(privileged, escapeProgram)
    expect(files).toBe(await trial.python(privileged, "import os; print(sorted(os.listdir('/')))"))
    expect(files).not.toContain('dockerenv')
    expect(
      await trial.python(privileged, `${escapeProgram}\nprint(os.path.exists('${process.execPath}'))`),
    ).toContain('False')
  })
})

describe('a pod that requests capabilities that are never granted', () => {
  it('runs without them, and cannot trace processes', async () => {
    const capabilities = { add: ['SYS_PTRACE', 'SYS_NICE', 'SYS_RESOURCE'] }
    const pod = await trial.startPod({ container: { securityContext: { capabilities } } })
    expect(await trial.sh(pod, 'grep CapEff /proc/self/status')).toBe('CapEff:\t00000000a80425fb\n')
    expect(await trial.sh(pod, 'nice -n -5 true; chrt -f 1 true')).toMatch(/denied[\s\S]*not permitted/)
    const traceProgram = cProgram(
      'import subprocess',
      "child = subprocess.Popen(['sleep', '60'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)",
      cCall('ptrace', 16, 'child.pid', 0, 0),
      'os.kill(child.pid, 9)',
    )
    expect(await trial.python(pod, traceProgram)).toBe('ptrace: -1 1\n')
  })
})

describe('processes', () => {
  it('of the host cannot be seen, traced or killed', async () => {
    const child = spawn('sleep', ['300'])
    try {
      const program = `
import os
pids = [int(name) for name in os.listdir('/proc') if name.isdigit()]
print(max(pids) < 1000, ${child.pid} in pids)
for pid in (${child.pid}, ${process.pid}):
    if pid in pids: continue
    try: os.kill(pid, 9); print('killed')
    except ProcessLookupError: pass
    print(os.path.exists(f'/proc/{pid}/root'))`
      expect(await trial.python(privileged, program)).toBe('True False\nFalse\nFalse\n')
      expect(await trial.sh(privileged, 'kill -9 -1; echo')).not.toContain('denied')
      expect(child.exitCode).toBeNull()
      expect(child.signalCode).toBeNull()
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('start with three descriptors, and without the environment of the engine', async () => {
    const script =
      'ls -l /proc/self/fd | grep -c -- "->"; cat /proc/1/environ /proc/self/environ | tr "\\0" "\\n"'
    const pod = await trial.startPod()
    const outputs = [await trial.output(script), await trial.sh(pod, script)]
    for (const output of outputs) {
      // The fourth descriptor is the folder that ls reads.
      expect(output).toMatch(/^4\n/)
      expect(output).not.toMatch(/REMEDIUM|GOMAXPROCS|_LIBCONTAINER|NODE_|TOKEN/)
      for (const [name, value = ''] of Object.entries(process.env))
        if (/TOKEN|KEY|SECRET|PASSWORD/i.test(name) && value.length > 5) expect(output).not.toContain(value)
    }
  })

  it('that start commands in a container cannot be read or changed', async () => {
    const runc = findExecutable('runc')
    const before = digest(runc)
    const spyProgram = `
import os, time
# The kernel also opens the memory of an exited process, which is empty.
def is_dead(what, handle):
    try: return what in ('mem', 'environ') and os.read(handle, 1) == b''
    except OSError: return False
end = time.time() + 2.5
seen, opened = set(), []
while time.time() < end:
    for name in os.listdir('/proc'):
        if not name.isdigit() or int(name) in (1, os.getpid()): continue
        try:
            with open(f'/proc/{name}/comm') as f: comm = f.read()
        except OSError: continue
        if not comm.startswith('runc'): continue
        seen.add(name)
        for what in ('exe', 'root', 'mem', 'environ', 'fd/3', 'fd/6', 'fd/7'):
            try:
                handle = os.open(f'/proc/{name}/{what}', os.O_RDWR if what in ('exe', 'mem') else os.O_RDONLY)
                # In the meantime, runc may have been replaced by the program of the container, which is not secret.
                with open(f'/proc/{name}/comm') as f: comm = f.read()
                if comm.startswith('runc') and not is_dead(what, handle): opened.append(what)
                os.close(handle)
            except OSError: pass
print('saw', len(seen) > 0, opened)`
    const spyOutput = trial.python(privileged, spyProgram)
    for (let round = 0; round < 25; round += 1) await trial.sh(privileged, 'true')
    expect(await spyOutput).toBe('saw True []\n')
    expect(digest(runc)).toBe(before)
  })

  it('that stress a pod do not give access to the host', async () => {
    const pod = await trial.startPod({ container: ALL_CAPABILITIES, labels: { app: 'stressed' } })
    const chaos = { apiVersion: 'chaos-mesh.org/v1alpha1', plural: 'stresschaos', namespace: 'default' }
    await trial.local.api.create(chaos, {
      apiVersion: 'chaos-mesh.org/v1alpha1',
      kind: 'StressChaos',
      metadata: { name: 'stress' },
      spec: {
        mode: 'all',
        selector: { labelSelectors: { app: 'stressed' } },
        stressors: { cpu: { workers: 1, load: 10 }, memory: { workers: 1, size: '8MB' } },
        duration: '1m',
      },
    })
    try {
      await expect.poll(() => trial.sh(pod, 'cat /proc/*/comm')).toMatch(/stress/)
      const readProgram = `
import errno, os, time
end = time.time() + 1.5
opened = set()
while time.time() < end:
    for name in os.listdir('/proc'):
        if not name.isdigit() or int(name) in (1, os.getpid()): continue
        for what in ('root', 'cwd', 'exe', 'environ', 'mem', 'fd', 'maps'):
            path = f'/proc/{name}/{what}'
            try:
                with open(f'/proc/{name}/comm') as f: comm = f.read().strip()
                if comm in ('sleep', 'python3', 'sh'): continue
                if what in ('root', 'cwd'): os.listdir(path)
                elif what == 'fd': os.readlink(f'{path}/0')
                else:
                    # The kernel also opens the files of an exited process, which are empty.
                    with open(path, 'rb') as f:
                        if f.read(1) == b'': continue
                opened.add((comm, what))
            except OSError as error:
                # The file was opened; only its first address is not mapped.
                if what == 'mem' and error.errno == errno.EIO: opened.add((comm, what))
print(sorted(opened))`
      expect(await trial.python(pod, readProgram)).toBe('[]\n')
    } finally {
      await trial.local.api.delete({ ...chaos, name: 'stress' })
    }
  })

  it('are limited in number', async () => {
    const bomb = `
import threading, time
threading.stack_size(65536)
made, done = 0, threading.Event()
try:
    while made < 20000:
        threading.Thread(target=done.wait, daemon=True).start()
        made += 1
except RuntimeError: print('stopped', 3000 < made < 4096, flush=True)
import os
os._exit(0)`
    expect(await trial.python(await trial.startPod(), bomb)).toBe('stopped True\n')
  })
})

const digest = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

const findExecutable = (program: string): string =>
  ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin']
    .map((folder) => `${folder}/${program}`)
    .find((path) => existsSync(path))!

/** Returns the capability mask, computed from the kernel's capability numbers. */
const expectedMask = async (): Promise<string> => {
  const numbers = [0, 1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 18, 27, 29, 31]
  return numbers
    .reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n)
    .toString(16)
    .padStart(16, '0')
}
