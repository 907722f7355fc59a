/** Tests the view of an isolated program on this machine, its clean-up, and its limits. Needs root. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { homedir, networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { play } from '#examinee/agent-parts/testing'
import { findExecutable, REPOSITORY } from '#kit'
import { createAgent } from './agent.ts'

let folder: string
let record: number
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-isolation-'))
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'records'), { mode: 0o700 })
  mkdirSync(join(folder, 'program'))
  writeFileSync(join(folder, 'records/one.jsonl.part'), 'the answer\n')
  // The recorder keeps the file open while an agent runs.
  record = openSync(join(folder, 'records/one.jsonl.part'), 'a+')
})
afterAll(() => {
  closeSync(record)
  rmSync(folder, { recursive: true })
})

const PRELUDE = `import json, os, socket, subprocess, sys
sys.stdin.readline()
def say(message): print(json.dumps(message), flush=True)
def note(function):
    try: say({'thought': str(function())})
    except Exception as error: say({'thought': type(error).__name__})
`
/** Visits the parent processes, and reads the record through their open files. */
const READ_PARENT_FILES = `
found, pid = [], os.getppid()
while pid > 0:
    try:
        for fd in os.listdir(f'/proc/{pid}/fd'):
            try: found.append(open(f'/proc/{pid}/fd/{fd}').read(99) if 'records' in os.readlink(f'/proc/{pid}/fd/{fd}') else '')
            except OSError: pass
        pid = int(open(f'/proc/{pid}/stat').read().rsplit(')')[-1].split()[1])
    except OSError: break
say({'thought': 'found: ' + ''.join(found).strip()})
`
const runPython = (text: string, options: object = {}) => {
  const file = join(folder, 'program', `${Math.random()}.py`)
  writeFileSync(file, `${PRELUDE}${text}\nsay({'submit': {}})\n`)
  return play(createAgent({ program: '/usr/bin/python3', args: [file], folder, ...options }))
}
const outputOf = ({ thoughts, error }: Awaited<ReturnType<typeof runPython>>) => [
  ...thoughts.map(({ thought }) => thought),
  ...(error === undefined ? [] : [error.message]),
]
/** An address of this machine that is not the loopback. */
const findOwnAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.2'

/** Writes files to a disk, as they are after a restart of the machine: not in the cache. */
const writeUncachedFiles = (count: number): string[] => {
  const files = Array.from({ length: count }, () => join(folder, 'program', `${Math.random()}.bin`))
  for (const file of files) writeFileSync(file, 'x'.repeat(20_000), { flush: true })
  const drop = `import os, sys
for name in sys.argv[1:]: os.posix_fadvise(os.open(name, os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED)`
  execFileSync('/usr/bin/python3', ['-c', drop, ...files])
  return files
}

/** The types of tmpfs, whose files are only in memory, and of an overlay, which does not answer which files are cached. */
const UNCACHED_TYPES = [0x0102_1994, 0x794c_7630]
const isUncached = UNCACHED_TYPES.includes(statfsSync(tmpdir()).type)

const isSupported =
  process.getuid?.() === 0 && existsSync('/usr/bin/python3') && findExecutable('runc') !== undefined

describe.skipIf(!isSupported)('an isolated program', () => {
  test('does not see the open files of its parents, which a trusted program can read', async () => {
    expect(outputOf(await runPython(READ_PARENT_FILES, { user: 'root' }))).toEqual(['found: the answer'])
    expect(outputOf(await runPython(READ_PARENT_FILES))).toEqual(['found: '])
  })

  test('runs as nobody, in its own processes, with an empty home', async () => {
    const result = await runPython(`
note(lambda: (os.getuid(), os.getgroups()))
note(lambda: [pid for pid in os.listdir('/proc') if pid.isdigit() and open(f'/proc/{pid}/cmdline').read().find('vitest') >= 0])
note(lambda: os.setuid(0))
note(lambda: [os.environ['HOME'], os.listdir(os.environ['HOME']), os.environ['TMPDIR']])
open(os.environ['HOME'] + '/note', 'w').write('mine')`)
    expect(outputOf(result)).toEqual([
      ...['(65534, [])', '[]', 'PermissionError', "['/home/agent', [], '/tmp']"],
    ])
  })

  test('sees neither the checkout, nor its packages, nor other folders of the machine', async () => {
    const paths = [
      ...[REPOSITORY, join(REPOSITORY, 'suites'), join(REPOSITORY, 'node_modules'), homedir()],
      ...[join(folder, 'records'), process.execPath, '/var/lib', '/run', '/dev/shm'],
    ]
    const listing = `
for path in ${JSON.stringify(paths)}: note(lambda: os.listdir(path) if os.path.isdir(path) else open(path).read(1))`
    const seen = outputOf(await runPython(listing, { hidden: [join(folder, 'records')] }))
    const empty = ['/run', '/dev/shm']
    expect(seen).toEqual(paths.map((path) => (empty.includes(path) ? '[]' : 'FileNotFoundError')))
  })

  test('started in the checkout sees only the folder of the file that its command line names', async () => {
    const search = `import json, os, sys
sys.stdin.readline()
found = [os.path.join(top, name) for top, _, names in os.walk(${JSON.stringify(REPOSITORY)}) for name in names]
print(json.dumps({'thought': ' '.join([os.getcwd(), *found])}), flush=True)
print(json.dumps({'submit': {}}), flush=True)`
    const args = ['-c', search, 'examples/first-aid.py']
    const agent = createAgent({ program: '/usr/bin/python3', args, folder: REPOSITORY })
    const { thoughts, error } = await play(agent)
    expect(error).toBeUndefined()
    const examples = readdirSync(join(REPOSITORY, 'examples')).map((name) =>
      join(REPOSITORY, 'examples', name),
    )
    expect(new Set(thoughts[0]!.thought!.split(' '))).toEqual(new Set([REPOSITORY, ...examples]))
  })

  test('cannot run Remedium from the checkout to list the problems', async () => {
    const listProblems = `note(lambda: subprocess.run(['sh', '-c', '${REPOSITORY}/remedium problems core --json || remedium problems core --json'], capture_output=True).returncode)`
    expect(outputOf(await runPython(listProblems, { folder: REPOSITORY }))).toEqual(['127'])
  })

  test('leaves no file for the next episode', async () => {
    const mark = `remedium-count-${process.pid}`
    const places = ['/tmp', '/var/tmp', '/dev/shm', '/home/agent', folder, '/opt', '/run', '/etc']
    const count = `
for place in ${JSON.stringify(places)}:
    def leave():
        path = place + '/${mark}' + place.replace('/', '-')
        known = os.path.exists(path)
        open(path, 'a').write('x')
        return 'again' if known else 'first'
    note(leave)`
    for (const _ of [1, 2]) {
      const seen = outputOf(await runPython(count))
      expect(seen.slice(0, 4)).toEqual(['first', 'first', 'first', 'first'])
      expect(seen.slice(4)).not.toContain('first')
      expect(seen).not.toContain('again')
    }
    for (const place of places)
      expect(existsSync(join(place, `${mark}${place.replaceAll('/', '-')}`))).toBe(false)
  })

  test.skipIf(isUncached)('leaves no message for the next episode in the cache of the machine', async () => {
    const files = writeUncachedFiles(24)
    const isWritten = (index: number): boolean => index % 3 === 0
    const chosen = files.filter((_, index) => isWritten(index))
    const read = `note(lambda: [len(open(file, 'rb').read()) for file in ${JSON.stringify(chosen)}])`
    const ask = `
def is_cached(file):
    try: return os.preadv(os.open(file, os.O_RDONLY), [bytearray(1)], 0, os.RWF_NOWAIT)
    except BlockingIOError: return 0
note(lambda: [is_cached(file) for file in ${JSON.stringify(files)}])`
    const readAndAsk = outputOf(await runPython(read + ask))
    expect(JSON.parse(readAndAsk[1]!)).toEqual(files.map((_, index) => Number(isWritten(index))))
    expect(JSON.parse(outputOf(await runPython(ask))[0]!)).toEqual(files.map(() => 0))
  })

  test.skipIf(isUncached)('cannot drop files from the cache of the machine', async () => {
    const [file] = writeUncachedFiles(1)
    readFileSync(file!)
    const drop = `
file = os.open(${JSON.stringify(file)}, os.O_RDONLY)
note(lambda: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED))
note(lambda: os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT))`
    expect(outputOf(await runPython(drop))).toEqual(['None', '1'])
  })

  test('sees no number by which it could count the episodes, or that an earlier program could have changed', async () => {
    const ask = `
for name in ['mountinfo', 'cgroup', 'maps']:
    note(lambda: '${process.pid}' in open('/proc/self/' + name).read().replace('/', '-').split('-'))
names = ['loadavg', 'softirqs', 'interrupts', 'vmstat', 'buddyinfo', 'locks', 'key-users', 'cgroups']
for name in names: note(lambda: open('/proc/' + name).read())
for name in ['sys/fs', 'fs', 'irq']: note(lambda: os.listdir('/proc/' + name))
note(lambda: [line for line in open('/proc/stat') if line.split()[0] in ('ctxt', 'intr', 'processes')])`
    const first = outputOf(await runPython(ask))
    expect(first.slice(0, 4)).toEqual(['False', 'False', 'False', '0.00 0.00 0.00 1/1 1\n'])
    expect(first.slice(4)).toEqual([
      ...Array.from({ length: 7 }, () => ''),
      ...['[]', '[]', '[]'],
      "['intr 0\\n', 'ctxt 0\\n', 'processes 1\\n']",
    ])
  })

  test('keeps the memory folder between episodes', async () => {
    const memory = join(folder, 'memory')
    const count = `
path = os.environ['REMEDIUM_MEMORY'] + '/count'
known = open(path).read() if os.path.exists(path) else ''
open(path, 'w').write(known + 'x')
say({'thought': known})`
    expect(outputOf(await runPython(count, { memory }))).toEqual([''])
    expect(outputOf(await runPython(count, { memory }))).toEqual(['x'])
    const foreign = join(folder, 'foreign')
    mkdirSync(foreign, { mode: 0o755 })
    expect(outputOf(await runPython(count, { memory: foreign }))[0]).toMatch(
      /nobody cannot write to the memory folder/,
    )
    for (const unsuitable of [REPOSITORY, join(REPOSITORY, 'suites'), '/tmp', '/var/lib/x'])
      expect(() => createAgent({ program: 'true', memory: unsuitable })).toThrow('cannot be made visible')
  })

  test('is killed if its memory folder is too large, and not started again until the folder is smaller', async () => {
    const memory = join(folder, 'small-memory')
    const fill = `
import time
for at in range(64):
    with open(os.environ['REMEDIUM_MEMORY'] + f'/{at}', 'wb') as file: file.write(b'x' * 2 ** 18)
time.sleep(60)`
    const options = { memory, memoryMiB: 4 }
    expect(outputOf(await runPython(fill, options)).at(-1)).toMatch(
      /its memory folder contains more than 4 MiB/,
    )
    expect(outputOf(await runPython('', options)).at(-1)).toMatch(
      /cannot be started: its memory folder contains more/,
    )
    for (const name of readdirSync(memory)) rmSync(join(memory, name))
    expect(outputOf(await runPython("say({'thought': 'started'})", options))).toEqual(['started'])
  })

  test('reaches no service of this machine, unless the operator names it', async () => {
    const server = createServer((socket) => socket.end('hello'))
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const abstractServer = createServer().listen(`\0remedium-${process.pid}`)
    onTestFinished(() => void abstractServer.close())
    const attempt = `
note(lambda: socket.create_connection(('127.0.0.1', ${port}), 5).recv(9))
note(lambda: socket.create_connection((${JSON.stringify(findOwnAddress())}, ${port}), 5).recv(9))
note(lambda: socket.socket(socket.AF_UNIX).connect('\\0remedium-${process.pid}'))
note(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', (${JSON.stringify(findOwnAddress())}, 9)))`
    const isolatedOutput = outputOf(await runPython(attempt))
    expect(isolatedOutput[0]).toBe('ConnectionRefusedError')
    expect(isolatedOutput.slice(1)).not.toContain("b'hello'")
    expect(isolatedOutput[2]).toBe('ConnectionRefusedError')
    const allowedOutput = outputOf(await runPython(attempt, { connect: `127.0.0.1:${port}` }))
    expect(allowedOutput[0]).toBe("b'hello'")
    expect(allowedOutput[1]).not.toBe("b'hello'")
  })

  test('cannot exceed the limits on memory, processes and files', async () => {
    const limits = { ramMiB: 128, processes: 20, fileMiB: 8 }
    const output = outputOf(
      await runPython(
        `
note(lambda: [subprocess.Popen(['sleep', '60']) for _ in range(40)])
def fill(path, size):
    with open(path, 'wb', buffering=0) as file:
        for _ in range(size): file.write(b'x' * 2 ** 20)
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
note(lambda: fill('/tmp/large', 9))
note(lambda: [fill(f'/home/agent/{at}', 3) for at in range(4)])
note(lambda: [open('/dev/null') for _ in range(5000)])`,
        limits,
      ),
    )
    expect(output).toEqual(['BlockingIOError', 'OSError', 'OSError', 'OSError'])
    const [reason] = outputOf(await runPython(`held = b'x' * 2 ** 30`, limits))
    expect(reason).toMatch(/ended without a submit \(exit code 137; it needed more than 128 MiB of memory/)
  })

  test('sees the API keys of models in its environment, but no settings of Remedium', async () => {
    vi.stubEnv('REMEDIUM_STATE', '/secret')
    vi.stubEnv('OPENAI_API_KEY', 'a key')
    onTestFinished(() => void vi.unstubAllEnvs())
    const listing = `note(lambda: [os.environ.get(name) for name in ('REMEDIUM_STATE', 'OPENAI_API_KEY', 'USER')])`
    expect(outputOf(await runPython(listing))).toEqual(["[None, 'a key', 'nobody']"])
  })

  test('is killed together with processes that it started in another session', async () => {
    const mark = `600.0${process.pid}`
    await runPython(
      `subprocess.Popen(['sleep', '${mark}'], start_new_session=True, stdout=subprocess.DEVNULL)`,
    )
    const isRunning = (): boolean =>
      readdirSync('/proc').some((pid) => {
        try {
          return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
        } catch {
          return false
        }
      })
    await expect.poll(isRunning).toBe(false)
  })

  test('that fails is reported with its exit code, its standard error, a closed output, or a hint if a file is hidden', async () => {
    const failed = await runPython(`sys.exit('unexpected end')`)
    expect(failed.error?.message).toMatch(
      /ended without a submit \(exit code 1; standard error: unexpected end/,
    )
    const closed = await runPython(`os.close(1)\nimport time\ntime.sleep(60)`)
    expect(closed.error?.message).toMatch(/ended without a submit \(its output closed/)
    const hiddenFile = await runPython(`open('/var/lib/my-model')`)
    expect(hiddenFile.error?.message).toContain('--set external.folders=FOLDER')
  })
})
