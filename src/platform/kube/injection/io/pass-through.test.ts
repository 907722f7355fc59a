/** Tests that a served volume behaves like a plain folder. Needs root, runc and /dev/fuse. */
import { createHash } from 'node:crypto'
import { lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createRandom, createRealClock } from '#kit'
import { createIoFaults } from './create-io-faults.ts'
import { createTestContainer, type TestContainer } from './testing/create-test-container.ts'

// Containers are slow on a busy machine.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

let container: TestContainer
let recover = async () => {}
const errors: Error[] = []
const folder = mkdtempSync(join(tmpdir(), 'remedium-io-'))

beforeAll(async () => {
  container = createTestContainer()
  const apply = createIoFaults({
    folder,
    marker: { REMEDIUM_CLUSTER: `/io-pass-${process.pid}` },
    clock: createRealClock(),
    random: createRandom('pass'),
    onError: (error) => errors.push(error),
  })
  const target = { namespace: 'default', pod: 'p', uid: 'u1', container: 'app' }
  const effect = { kind: 'latency', delayMs: 5 } as const
  recover = await apply(
    { type: 'io', target, volumePath: '/data', path: '/data/hit/**', percent: 100, effect },
    container.view,
  )
})

afterAll(async () => {
  await recover()
  container.remove()
  rmSync(folder, { recursive: true })
  expect(errors).toEqual([])
})

const run = async (script: string): Promise<string> => {
  const { exitCode, stdout, stderr } = await container.run(
    `import fs from 'node:fs'; import { execFileSync } from 'node:child_process'; ${script}`,
  )
  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  return stdout.trim()
}

describe('a served volume', () => {
  it('transfers 20 MB unchanged in both directions', async () => {
    const bytes = Buffer.alloc(20 << 20, createHash('sha256').update('seed').digest())
    for (let offset = 0; offset < bytes.length; offset += 4096) bytes.writeUInt32LE(offset, offset)
    writeFileSync(join(container.volume, 'large'), bytes)
    const script = `import { createHash } from 'node:crypto'
      const copy = fs.readFileSync('/data/large'); fs.writeFileSync('/data/copy', copy)
      console.log(createHash('sha256').update(fs.readFileSync('/data/copy')).digest('hex'))`
    const expected = createHash('sha256').update(bytes).digest('hex')
    expect(await run(script)).toBe(expected)
    expect(
      createHash('sha256')
        .update(readFileSync(join(container.volume, 'copy')))
        .digest('hex'),
    ).toBe(expected)
  })

  it('lists thousands of files once each, and removes them', async () => {
    const out = await run(`fs.mkdirSync('/data/many')
      const names = Array.from({ length: 2000 }, (_, i) => 'file-with-a-rather-long-name-' + i)
      for (const name of names) fs.writeFileSync('/data/many/' + name, '')
      const seen = fs.readdirSync('/data/many')
      fs.rmSync('/data/many', { recursive: true })
      console.log(seen.length, new Set(seen).size, names.every((name) => seen.includes(name)), fs.existsSync('/data/many'))`)
    expect(out).toBe('2000 2000 true false')
  })

  it('keeps files open that are renamed, linked, replaced and removed', async () => {
    const out = await run(`const d = '/data/life'; fs.mkdirSync(d + '/sub', { recursive: true })
      const fd = fs.openSync(d + '/a', 'w+'); fs.writeSync(fd, 'one')
      fs.renameSync(d + '/a', d + '/sub/b'); fs.writeSync(fd, 'two')
      fs.linkSync(d + '/sub/b', d + '/c'); fs.renameSync(d + '/sub', d + '/bus')
      const links = [fs.statSync(d + '/c').nlink, fs.statSync(d + '/c').ino === fs.statSync(d + '/bus/b').ino]
      fs.writeFileSync(d + '/other', 'other'); fs.renameSync(d + '/other', d + '/c')
      fs.rmSync(d + '/bus', { recursive: true }); fs.writeSync(fd, 'six')
      fs.ftruncateSync(fd, 8); fs.fchmodSync(fd, 0o640); fs.futimesSync(fd, 1, 2)
      const s = fs.fstatSync(fd); const b = Buffer.alloc(20); const n = fs.readSync(fd, b, 0, 20, 0)
      const again = fs.readFileSync('/proc/self/fd/' + fd, 'utf8')
      console.log(JSON.stringify([links, s.nlink, s.size, (s.mode & 0o777).toString(8), s.mtimeMs,
        b.toString('utf8', 0, n), again, fs.readFileSync(d + '/c', 'utf8'), fs.readdirSync(d)]))`)
    expect(JSON.parse(out)).toEqual([[2, true], 0, 8, '640', 2000, 'onetwosi', 'onetwosi', 'other', ['c']])
  })

  it('shows changes that another container of the pod makes', async () => {
    writeFileSync(join(container.volume, 'shared'), 'old')
    const reader = container.start(`import fs from 'node:fs'; const fd = fs.openSync('/data/shared', 'r')
      const say = () => { const b = Buffer.alloc(9); console.log(b.toString('utf8', 0, fs.readSync(fd, b, 0, 9, 0))) }
      say(); process.stdin.on('data', () => { say(); process.exit() })`)
    const [first] = await new Promise<Buffer[]>((resolve) =>
      reader.stdout!.once('data', (...output) => resolve(output)),
    )
    expect(String(first).trim()).toBe('old')
    writeFileSync(join(container.volume, 'shared'), 'newer')
    const next = new Promise<string>((resolve) =>
      reader.stdout!.once('data', (output) => resolve(String(output).trim())),
    )
    reader.stdin!.write('\n')
    expect(await next).toBe('newer')
    expect(await run(`console.log(fs.statSync('/data/shared').size)`)).toBe('5')
  })

  it('sets the owner of new files, and enforces permissions', async () => {
    const out = await run(`fs.mkdirSync('/data/own'); fs.chmodSync('/data/own', 0o777)
      fs.mkdirSync('/data/group'); fs.chownSync('/data/group', 0, 50); fs.chmodSync('/data/group', 0o2777)
      fs.writeFileSync('/data/secret', 'x', { mode: 0o600 })
      process.umask(0o027); process.setgid(1001); process.setuid(1000)
      fs.writeFileSync('/data/own/a', ''); fs.mkdirSync('/data/own/d'); fs.symlinkSync('a', '/data/own/s')
      fs.writeFileSync('/data/group/a', '')
      const code = (task) => { try { task(); return 'fine' } catch (error) { return error.code } }
      console.log(code(() => fs.readFileSync('/data/secret')), code(() => fs.writeFileSync('/data/b', '')),
        code(() => fs.chownSync('/data/own/a', 0, 0)))`)
    expect(out).toBe('EACCES EACCES EPERM')
    const ownerAndMode = (path: string) => {
      const { uid, gid, mode } = lstatSync(join(container.volume, path))
      return `${uid}:${gid} ${(mode & 0o7777).toString(8)}`
    }
    expect(['own/a', 'own/d', 'own/s', 'group/a'].map(ownerAndMode)).toEqual([
      '1000:1001 640',
      '1000:1001 750',
      '1000:1001 777',
      '1000:50 640',
    ])
  })

  it('supports executing programs, which are memory-mapped', async () => {
    const out = await run(`fs.copyFileSync('/usr/bin/env', '/data/env'); fs.chmodSync('/data/env', 0o755)
      console.log(execFileSync('/data/env', ['echo', 'mapped'], { encoding: 'utf8' }).trim())`)
    expect(out).toBe('mapped')
  })

  it('returns the same results as a plain folder for random calls', async () => {
    const out = await run(RANDOM_CALLS)
    expect(out).toBe('2500 calls, same results')
  })
})

/** Makes the same random calls on the volume and on a folder in memory; results and errors must be equal. */
const RANDOM_CALLS = `
  let state = 12345
  const below = (n) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % n }
  const names = ['a', 'b', 'c', 'd', 'a/x', 'a/y', 'b/x', 'c/z', 'l']
  const pick = () => names[below(names.length)]
  const roots = ['/data/walk', '/dev/walk']
  for (const root of roots) fs.mkdirSync(root)
  const held = [[], []]
  const facts = (s) => [s.mode, s.isDirectory() ? 0 : s.size, s.isDirectory() ? 0 : s.nlink, s.uid, s.gid, s.mtimeMs < 1e9]
  const calls = [
    () => { const [p, n] = [pick(), below(5000)]; return (r) => fs.writeFileSync(r + p, Buffer.alloc(n, n)) },
    () => { const [p, n] = [pick(), below(500)]; return (r) => fs.appendFileSync(r + p, Buffer.alloc(n, n)) },
    () => { const p = pick(); return (r) => fs.readFileSync(r + p).toString('base64') },
    () => { const p = pick(); return (r) => fs.mkdirSync(r + p) },
    () => { const p = pick(); return (r) => fs.rmdirSync(r + p) },
    () => { const p = pick(); return (r) => fs.unlinkSync(r + p) },
    () => { const [p, q] = [pick(), pick()]; return (r) => fs.renameSync(r + p, r + q) },
    () => { const [p, q] = [pick(), pick()]; return (r) => fs.linkSync(r + p, r + q) },
    () => { const [p, q] = [pick(), pick()]; return (r) => fs.symlinkSync(q.slice(-1), r + p) },
    () => { const p = pick(); return (r) => fs.readlinkSync(r + p) },
    () => { const [p, n] = [pick(), below(6000)]; return (r) => fs.truncateSync(r + p, n) },
    () => { const [p, n] = [pick(), 0o600 + below(64)]; return (r) => fs.chmodSync(r + p, n) },
    () => { const p = pick(); return (r) => fs.utimesSync(r + p, 1000, 2000) },
    () => { const p = pick(); return (r) => facts(fs.lstatSync(r + p)) },
    () => { const p = pick(); return (r) => fs.readdirSync(r + p).sort() },
    () => { const [p, f] = [pick(), ['r', 'r+', 'w', 'a', 'wx', 'a+'][below(6)]]
      return (r, h) => { h.push(fs.openSync(r + p, f)) } },
    () => { const i = below(5); return (r, h) => { if (h[i] !== undefined) fs.closeSync(h.splice(i, 1)[0]) } },
    () => { const [i, n, at] = [below(5), below(3000), below(9000)]
      return (r, h) => h[i] !== undefined && fs.writeSync(h[i], Buffer.alloc(n, n), 0, n, at) },
    () => { const [i, n, at] = [below(5), below(3000), below(9000)]
      return (r, h) => { const b = Buffer.alloc(n); return h[i] !== undefined && [fs.readSync(h[i], b, 0, n, at), b.toString('base64')] } },
    () => { const i = below(5); return (r, h) => h[i] !== undefined && facts(fs.fstatSync(h[i])) },
    () => { const i = below(5); return (r, h) => { if (h[i] !== undefined) fs.fsyncSync(h[i]) } },
  ]
  for (let round = 0; round < 2500; round += 1) {
    const call = calls[below(calls.length)]()
    const [served, plain] = roots.map((root, index) => {
      try { return JSON.stringify(call(root + '/', held[index])) } catch (error) { return error.code } })
    if (served !== plain) throw new Error(round + ' ' + call + ': ' + String(served).slice(0, 200) + ' for ' + String(plain).slice(0, 200))
  }
  console.log('2500 calls, same results')`
