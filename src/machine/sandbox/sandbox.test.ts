/** Tests hostile programs in a real sandbox. */
import { execFileSync, fork } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createUnixServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findExecutable } from '#kit'
import { thisProcess } from '#machine/host'
import { createCgroups, memoryFolderOf } from '#machine/linux'
import { createSandbox, listSandboxes, type Sandbox, type SandboxRequest, sweepSandboxes } from './index.ts'

const canRun = process.getuid?.() === 0 && findExecutable('runc') !== undefined
const GROUP = 'remedium-sandboxes'

const portOf = (server: Server): number => (server.address() as { port: number }).port
const startServer = async (): Promise<Server> => {
  const server = createServer((_, response) => response.end('the api'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
/** The ids of the sandboxes that the process owns. */
const sandboxesOf = (pid: number): string[] =>
  listSandboxes().flatMap(({ id, owner }) => (owner?.pid === pid ? [id] : []))
const groups = (): readonly string[] => createCgroups().children(GROUP)

/** Drops the files from the cache of the machine, or counts those that are in it. Asking brings them into it. */
const useCache = (act: 'drop' | 'count', files: readonly string[]): number => {
  const script = `
import os, sys
def is_cached(file):
    try: return os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT)
    except BlockingIOError: return 0
files = [os.open(name, os.O_RDONLY) for name in sys.argv[2:]]
if sys.argv[1] == 'drop':
    for file in files: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
else: print(sum(is_cached(file) for file in files))`
  return Number(execFileSync('/usr/bin/python3', ['-c', script, act, ...files]))
}
const DOCUMENTATION = '/usr/share/doc'
/** Files that no program of the tests reads. */
const findRareFiles = (): string[] =>
  (existsSync(DOCUMENTATION) ? readdirSync(DOCUMENTATION) : [])
    .map((name) => join(DOCUMENTATION, name, 'copyright'))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .slice(-20)
const OVERLAY_MAGIC = 0x794c_7630
/** An overlay does not answer which files are cached. */
const canAsk =
  canRun &&
  existsSync('/usr/bin/python3') &&
  findRareFiles().length === 20 &&
  statfsSync(DOCUMENTATION).type !== OVERLAY_MAGIC

describe.skipIf(!canAsk)('the files that commands read', () => {
  it('are dropped from the cache of the machine when the sandbox is closed', async () => {
    const [before, after] = [findRareFiles().slice(0, 10), findRareFiles().slice(10)]
    const api = await startServer()
    const sandbox = await createSandbox({ server: `http://127.0.0.1:${portOf(api)}` })
    useCache('drop', findRareFiles())
    const { exitCode } = await sandbox.run({ command: ['/usr/bin/cat', ...before, ...after] })
    expect([exitCode, useCache('count', before)]).toEqual([0, 10])
    await sandbox.close()
    api.close()
    expect(useCache('count', after)).toBe(0)
  })
})

describe.skipIf(!canRun)('a sandbox', () => {
  let api: Server
  let otherServer: Server
  let sandbox: Sandbox
  let group: string
  const sh = (script: string, more: Partial<SandboxRequest> = {}) =>
    sandbox.run({ command: ['/bin/sh', '-c', script], ...more })

  beforeAll(async () => {
    ;[api, otherServer] = await Promise.all([startServer(), startServer()])
    sandbox = await createSandbox({
      server: `http://127.0.0.1:${portOf(api)}`,
      limits: { timeoutMs: 20_000 },
    })
    group = sandboxesOf(process.pid)[0]!
    expect(groups()).toContain(group)
  })
  afterAll(async () => {
    await sandbox.close()
    for (const server of [api, otherServer]) server.close()
    expect(sandboxesOf(process.pid)).toEqual([])
    expect(groups()).not.toContain(group)
  })

  it('returns the output and the exit code of a program', async () => {
    const { exitCode, stdout, stderr, failure } = await sh('cat /input/a; echo bad >&2; exit 3', {
      files: { a: 'good' },
    })
    expect({ exitCode, stdout, stderr, failure }).toEqual({
      exitCode: 3,
      stdout: 'good',
      stderr: 'bad\n',
      failure: undefined,
    })
  })

  it('reaches only the API server, at its own address', async () => {
    const { stdout } = await sh(
      `curl -s -m 2 http://127.0.0.1:${portOf(api)}/; echo; curl -s -m 2 http://127.0.0.1:${portOf(otherServer)}/ || echo refused
       curl -s -m 2 http://8.8.8.8/ || echo nowhere; ip -o link | wc -l`,
    )
    expect(stdout.split('\n')).toEqual(['the api', 'refused', 'nowhere', '1', ''])
  })

  it('sees no name that tells its process, or how many sandboxes and runs there were before', async () => {
    const { startTime } = thisProcess()
    const list = 'cat /proc/self/mountinfo /proc/self/cgroup /proc/mounts; hostname; env; readlink -f /input'
    const names = async (of: Sandbox): Promise<string[]> => {
      const { stdout } = await of.run({ command: ['/bin/sh', '-c', list] })
      expect(stdout.match(/\d+/g)).not.toContain(String(process.pid))
      expect(stdout.match(/\d+/g)).not.toContain(String(startTime))
      return [...new Set(stdout.match(/[\w-]*(?:sandbox|run)-[\w-]*/g))]
    }
    const other = await createSandbox({ server: `http://127.0.0.1:${portOf(api)}` })
    const found = [...(await names(sandbox)), ...(await names(sandbox)), ...(await names(other))]
    await other.close()
    expect(new Set(found).size).toBeGreaterThanOrEqual(5)
    for (const name of found)
      expect(name).toMatch(/^(?:remedium-sandbox-[0-9a-f]{32}-[0-9a-f]{8}|run-[0-9a-f]{32})$/)
  })

  it('reads no counter of the machine in /proc, by which another program could leave it a number', async () => {
    const { stdout } = await sh(
      `cat /proc/loadavg; grep -E '^(ctxt|intr|processes)' /proc/stat; grep -c ^cpu[0-9] /proc/stat; nproc --all
       for name in softirqs interrupts schedstat vmstat buddyinfo cgroups locks key-users fs irq sys/fs
       do cat /proc/$name 2> /dev/null; ls -A /proc/$name/ 2> /dev/null; done; ps -o comm= 1; echo done`,
    )
    const [load, , , , cores, processors, ...others] = stdout.split('\n')
    expect([load, ...others]).toEqual(['0.00 0.00 0.00 1/1 1', 'sh', 'done', ''])
    expect(stdout).toContain('\nintr 0\nctxt 0\nprocesses 1\n')
    expect(cores).toBe(processors)
  })

  it('has no access to abstract sockets of the machine', async () => {
    const name = `\0remedium-test-${process.pid}`
    const server = createUnixServer()
    await new Promise<void>((resolve) => server.listen(name, resolve))
    try {
      const { stdout } = await sh(
        `python3 -c "import socket; s=socket.socket(socket.AF_UNIX); print(s.connect_ex('\\0remedium-test-${process.pid}'))"`,
      )
      expect(stdout.trim()).toBe('111')
    } finally {
      server.close()
    }
  })

  it('gains no privileges from any program that it starts', async () => {
    const { stdout } = await sh(
      `id -u; grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status
       for file in $(find /usr/bin /usr/sbin -perm -4000); do timeout 0.2 $file -c id < /dev/null 2> /dev/null; done | grep -c uid=0
       unshare -U true || unshare -n true || unshare -m true || mount -t tmpfs x /tmp || echo none`,
    )
    expect(stdout.replaceAll(/\s+/g, ' ').trim()).toBe(
      '65534 CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 Seccomp: 2 0 none',
    )
  })

  it('has no access to files, processes, devices and descriptors of the machine', async () => {
    const { stdout } = await sh(
      `for path in ${process.cwd()} ${tmpdir()}/vitest /root/.ssh /root/* /home/* /var/lib/* /sys/* /boot /etc/shadow /run/*
       do [ -r $path ] && ls -d $path; done; ls /proc > /tmp/proc; grep -cE '^[0-9]+$' /tmp/proc; ls /dev | tr '\\n' ' '
       cat /proc/cmdline /proc/kcore /proc/kallsyms 2> /dev/null | head -c 100
       readlink /proc/1/fd/* | grep -v '^pipe:'; ls -d /proc/1/cwd/../..//etc/shadow /proc/1/root/etc/shadow`,
    )
    expect(stdout.trim().split('\n')).toEqual([
      '2',
      'fd full null ptmx pts random shm stderr stdin stdout tty urandom zero /dev/null',
    ])
  })

  it('can write only to its own folders, which have a size limit', async () => {
    const { stdout } = await sh(
      `for path in /usr /etc /opt /var/tmp /dev /input /proc/sys/kernel; do touch $path/x 2> /dev/null && echo $path; done
       dd if=/dev/zero of=/tmp/a bs=1M count=60 2> /dev/null && dd if=/dev/zero of=/tmp/b bs=1M count=60 2> /dev/null && echo two
       dd if=/dev/zero of=/tmp/c bs=1M count=60 2> /dev/null || echo full
       dd if=/dev/zero of=/work/large bs=1M count=99 2> /dev/null || echo large; rm -f /work/large; echo kept > /work/note`,
    )
    expect(stdout.trim().split('\n')).toEqual(['two', 'full', 'large'])
    expect((await sh('ls /tmp; cat /work/note')).stdout).toBe('kept\n')
  })

  it('reports lines of descriptor 3, except those that are too long', async () => {
    const lines: string[] = []
    await sh('echo one >&3; head -c 200000 /dev/zero | tr "\\0" x >&3; echo >&3; echo two >&3; echo rest', {
      onLine: (line) => lines.push(line),
    })
    expect(lines).toEqual(['one', 'two'])
  })

  it('kills the program and its descendants after the timeout', async () => {
    const { stoppedBy, failure, milliseconds, stdout } = await sh(
      '(setsid sleep 77 &) ; trap "" TERM INT; echo started; while :; do :; done',
      { limits: { timeoutMs: 700 } },
    )
    expect({ stoppedBy, failure, stdout }).toEqual({
      stoppedBy: 'time',
      stdout: 'started\n',
      failure: 'it took longer than 0.7 s',
    })
    expect(milliseconds).toBeLessThan(10_000)
    const commands = readdirSync('/proc').flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      } catch {
        return []
      }
    })
    expect(commands).not.toContain('sleep\u000077\u0000')
  })

  it('can be aborted before and after the start', async () => {
    const early = await sh('true', { signal: AbortSignal.abort() })
    expect(early.stoppedBy).toBe('aborted')
    const late = new AbortController()
    const running = sh('sleep 60', { signal: late.signal })
    setTimeout(() => late.abort(), 300)
    expect((await running).stoppedBy).toBe('aborted')
  })

  it('limits output, and keeps its beginning and its end', async () => {
    const before = process.memoryUsage.rss()
    const { stoppedBy, stdout, stderr } = await sh('echo first; yes 0123456789 & yes >&2')
    expect(stoppedBy).toBe('output')
    expect(stdout.startsWith('first\n0123456789\n')).toBe(true)
    expect(stdout.length + stderr.length).toBeLessThan(300_000)
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 2 ** 20)
  })

  it('survives fork bombs and memory exhaustion', async () => {
    const forks = await sh('bomb() { bomb | bomb & }; bomb; sleep 0.3; echo still', {
      limits: { timeoutMs: 1500, processes: 64 },
    })
    expect(forks.stderr + forks.stdout).toMatch(/fork|still|Resource/i)
    const memory = await sh(`exec python3 -c "a=[bytearray(2**24) for _ in range(40)]"`, {
      limits: { memoryBytes: 64 * 2 ** 20 },
    })
    expect(memory).toMatchObject({ exitCode: 137, failure: 'it needed more than 64 MiB of memory' })
  })

  it('reports commands that the kernel cannot start', async () => {
    expect(await sh('echo a\0b')).toMatchObject({
      exitCode: 126,
      failure: 'the command contains zero bytes',
    })
    expect(await sh('x'.repeat(200_000))).toMatchObject({
      exitCode: 126,
      stderr: expect.stringContaining('120 KiB'),
    })
  })

  it('removes the control groups of runs that are aborted at any moment', async () => {
    const runs = Array.from({ length: 12 }, async (_, index) => {
      const signal = AbortSignal.timeout(index * 6)
      return (await sh('sleep 60', { signal })).stoppedBy
    })
    expect(await Promise.all(runs)).toEqual(runs.map(() => 'aborted'))
    expect(createCgroups().children(`${GROUP}/${group}`)).toEqual([])
  })

  it('rejects file names with folders', async () => {
    await expect(sh('true', { files: { '../../x': '' } })).rejects.toThrow('not a plain file name')
  })
})

describe.skipIf(!canRun)('a sandbox whose process was killed', () => {
  it('is removed by the next sweep', async () => {
    const child = fork(join(import.meta.dirname, 'testing/abandoned-sandbox.ts'), {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    await new Promise((resolve) => child.once('message', resolve))
    const pid = child.pid!
    const [id] = sandboxesOf(pid)
    const programPids = createCgroups().pids(`${GROUP}/${id}`)
    expect(programPids.length).toBeGreaterThan(0)
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    expect(sandboxesOf(pid)).toEqual([id])
    expect(await sweepSandboxes()).toBeGreaterThanOrEqual(1)
    expect(sandboxesOf(pid)).toEqual([])
    expect(groups()).not.toContain(id)
    await expect.poll(() => programPids.filter((pid) => existsSync(`/proc/${pid}/exe`))).toEqual([])
  })
})

describe.skipIf(!canRun)('the folder of a sandbox whose process was killed before it named the owner', () => {
  it('is removed by the next sweep', async () => {
    const folder = memoryFolderOf(`/sandbox-${'0'.repeat(32)}`)
    mkdirSync(folder, { mode: 0o700 })
    await sweepSandboxes()
    expect(existsSync(folder)).toBe(false)
  })
})

describe('a sandbox', () => {
  it('rejects an address that it cannot reach', async () => {
    await expect(createSandbox({ server: 'https://[::1]:6443' })).rejects.toThrow('is not an address')
    await expect(createSandbox({ server: 'nonsense' })).rejects.toMatchObject({ code: 'bad-argument' })
  })
})
