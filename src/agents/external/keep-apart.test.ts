/** A program of somebody's finds nothing of the laboratory: neither by its processes nor by its files. */
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
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { play } from '../../agent-parts/testing/index.ts'
import { findExecutable } from '../../kit/index.ts'
import { createAgent } from './agent.ts'
import { canKeepApart } from './keep-apart.ts'

let folder: string
let record: number
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-apart-'))
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'records'), { mode: 0o700 })
  writeFileSync(join(folder, 'records/one.jsonl.part'), 'the answer\n')
  // As the recorder has it open while an agent works.
  record = openSync(join(folder, 'records/one.jsonl.part'), 'a+')
})
afterEach(() => vi.unstubAllEnvs())
afterAll(() => {
  closeSync(record)
  rmSync(folder, { recursive: true })
})

const HEAD = `import json, os, subprocess, sys
sys.stdin.readline()
def say(message): print(json.dumps(message), flush=True)
`
/** Climbs from parent to parent and reads what they have open. */
const CLIMB = `
found, pid = [], os.getppid()
while pid > 0:
    try:
        for one in os.listdir(f'/proc/{pid}/fd'):
            try: found.append(open(f'/proc/{pid}/fd/{one}').read(99) if 'records' in os.readlink(f'/proc/{pid}/fd/{one}') else '')
            except OSError: pass
        pid = int(open(f'/proc/{pid}/stat').read().rsplit(')')[-1].split()[1])
    except OSError: break
say({'thought': 'climbed: ' + ''.join(found).strip()})
`
const run = (text: string, options: object = {}) => {
  const file = join(folder, `${Math.random()}.py`)
  writeFileSync(file, `${HEAD}${text}\nsay({'submit': {}})\n`)
  return play(createAgent({ program: 'python3', args: [file], ...options }))
}
const said = ({ thoughts, error }: Awaited<ReturnType<typeof run>>) => [
  ...thoughts.map(({ thought }) => thought),
  ...(error === undefined ? [] : [error.message]),
]
const canTry = canKeepApart() && findExecutable('python3') !== undefined

test.skipIf(!canTry)('it climbs in vain where one that is trusted would find the answer', async () => {
  expect(said(await run(CLIMB, { user: 'root' }))).toEqual(['climbed: the answer'])
  expect(said(await run(CLIMB))).toEqual(['climbed: '])
})

test.skipIf(!canTry)('it is nobody, with a folder of its own that is gone afterwards', async () => {
  const { thoughts, error } = await run(`
def attempt(what):
    try: return str(what())
    except OSError as error: return type(error).__name__
say({'thought': attempt(lambda: (os.getuid(), os.getgroups()))})
say({'thought': attempt(lambda: [one for one in os.listdir('/proc') if one.isdigit() and open(f'/proc/{one}/cmdline').read().find('vitest') >= 0])})
say({'thought': attempt(lambda: os.listdir('${folder}/records'))})
say({'thought': attempt(lambda: os.kill(1, 9))})
say({'thought': attempt(lambda: os.setuid(0))})
open(os.environ['HOME'] + '/note', 'w').write('mine')
say({'thought': os.environ['TMPDIR']})`)
  expect(error).toBeUndefined()
  const home = thoughts.at(-1)!.thought
  expect(thoughts.map(({ thought }) => thought)).toEqual([
    ...['(65534, [])', '[]', 'PermissionError', 'PermissionError', 'PermissionError', home],
  ])
  expect(home).toContain('remedium-agent-')
  expect(existsSync(home)).toBe(false)
})

test.skipIf(!canTry).each([
  ['can be passed by all', 0o711, true],
  ['is for its owner alone', 0o700, false],
])('it can write where it lives if the folder for temporary files %s', async (_, mode, isInside) => {
  const temporary = mkdtempSync(join(folder, 'temporary-'))
  chmodSync(temporary, mode)
  vi.stubEnv('TMPDIR', temporary)
  const { thoughts, error } = await run(`
open(os.environ['HOME'] + '/note', 'w').write('mine')
say({'thought': os.environ['TMPDIR']})`)
  expect(error).toBeUndefined()
  expect(thoughts[0]!.thought.startsWith(`${temporary}/`)).toBe(isInside)
})

const isThere = (mark: string): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
    } catch {
      return false
    }
  })

test.skipIf(!canTry)('what it starts in a session of its own ends with it', async () => {
  const mark = `600.0${process.pid}`
  await run(`subprocess.Popen(['sleep', '${mark}'], start_new_session=True, stdout=subprocess.DEVNULL)
os.setsid() if os.getpid() != os.getsid(0) else None`)
  await expect.poll(() => isThere(mark)).toBe(false)
})

test.skipIf(!canTry)('its end, its code and its closed output are seen as without', async () => {
  const failed = await run(`sys.exit('my own fault')`)
  expect(failed.error?.message).toMatch(/ended without a submit \(exit code 1; it complained: my own fault/)
  const closed = await run(`os.close(1)\nimport time\ntime.sleep(60)`)
  expect(closed.error?.message).toMatch(/ended without a submit \(its output closed/)
  chmodSync(folder, 0o700)
  const hidden = await run('').finally(() => chmodSync(folder, 0o755))
  expect(hidden.error?.message).toContain('--set external.user=root')
})
