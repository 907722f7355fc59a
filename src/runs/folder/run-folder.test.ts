/** Tests of a run's folder: begun, gone on with, torn, held by one alone. */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { madeManifest, madeResult } from '../testing/made-run.ts'
import { foreseeRun, openRunFolder, readRun } from './run-folder.ts'

let home: string
let path: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'run-folder-'))
  path = join(home, 'runs', 'one')
})
afterEach(() => rmSync(home, { recursive: true }))

const open = (over = {}, options = {}) =>
  openRunFolder(path, { manifest: madeManifest(over), commit: 'c1', ...options })

describe('a run folder', () => {
  it('keeps the manifest, and of each episode the last result', () => {
    const first = open()
    first.add(madeResult('a.1.1', { outcome: 'void', blame: 'harness' }))
    first.add(madeResult('b.1.1'))
    first.add(madeResult('a.1.1'))
    first.close()
    const again = open({ id: 'other', created: 5, command: 'again' })
    expect(again.manifest).toMatchObject({ id: 'r', created: 0 })
    expect(again.results.map(({ episode, outcome }) => `${episode} ${outcome}`)).toEqual([
      'b.1.1 resolved',
      'a.1.1 resolved',
    ])
    again.close()
    expect(readdirSync(path).sort()).toEqual(['manifest.json', 'records', 'results.jsonl'])
    // It tells the answers.
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  it('keeps results whose cost is not known', () => {
    const { costUsd: _, ...metrics } = madeResult('a.1.1').metrics
    const first = open()
    first.add(madeResult('a.1.1', { metrics }))
    first.close()
    expect(readRun(path).results[0]!.metrics).toEqual(metrics)
  })

  it('takes a torn last line away, and what workers had begun', () => {
    const first = open()
    first.add(madeResult('a.1.1'))
    first.close()
    appendFileSync(join(path, 'results.jsonl'), '{"episode":"b.1')
    writeFileSync(join(path, 'records', 'b.1.1.jsonl.77.part'), '')
    expect(readRun(path).results).toHaveLength(1)
    const again = open()
    again.add(madeResult('b.1.1'))
    again.close()
    expect(readFileSync(join(path, 'results.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2)
    expect(readdirSync(join(path, 'records'))).toEqual([])
  })

  it('is left without what workers have begun and could not clear away', () => {
    const first = open()
    writeFileSync(join(path, 'records', 'a.1.1.jsonl.77.part'), '')
    first.close()
    expect(readdirSync(join(path, 'records'))).toEqual([])
  })

  it('is refused in one sentence where it cannot be written to', () => {
    const refused = {
      code: 'bad-argument',
      message: expect.stringContaining('cannot be made or written to.'),
    }
    for (const out of ['/proc', '/proc/x'])
      expect(() => openRunFolder(out, { manifest: madeManifest(), commit: 'c1' })).toThrow(
        expect.objectContaining(refused),
      )
    open().close()
    rmSync(join(path, 'records'), { recursive: true })
    writeFileSync(join(path, 'records'), '')
    expect(() => openRunFolder(path, { commit: 'c1' })).toThrow(expect.objectContaining(refused))
  })

  it('is held by one alone', () => {
    const first = open()
    expect(() => open()).toThrow(`Another process is at the run in ${path}.`)
    first.close()
    open().close()
  })

  it.each([
    [{ epochs: 2 }, {}, 'is one of other number of epochs.'],
    [
      { settings: { mostTokens: 5 } },
      {},
      'is one of other settings: mostTokens is not set there, and 5 here.',
    ],
    [{ commit: 'c2' }, {}, 'is of the commit "c1", not of "c2".'],
  ])('refuses to go on with %j', (over, options, sentence) => {
    open().close()
    expect(() => open(over, options)).toThrow(sentence)
    open().close()
  })

  it('names the setting that differs, and no other', () => {
    const settings = { external: 'x', externalFolder: '/a', deny: ['exec_shell'], price: '1,2' }
    open({ settings }).close()
    const other = { ...settings, externalFolder: '/b', deny: ['exec_shell', 'run_playbook'] }
    expect(() => open({ settings: other })).toThrow(
      'settings: deny is ["exec_shell"] there, and ["exec_shell","run_playbook"] here.',
    )
    const { price: _, ...without } = settings
    expect(() => open({ settings: without })).toThrow('settings: price is "1,2" there, and not set here.')
  })

  it('starts an external agent where it was begun, and nowhere else', () => {
    const at = (folder: string) => ({ settings: { external: 'x', externalFolder: folder } })
    open(at('/a')).close()
    expect(() => open(at('/b'))).toThrow(`The run in ${path} starts its external agent in /a, not in /b.`)
    open(at('/a')).close()
  })

  it('that does not say where its external agent is started goes on anywhere', () => {
    open({ settings: { external: 'x' } }).close()
    const again = open({ settings: { external: 'x', externalFolder: '/b' } })
    expect(again.manifest.settings).toEqual({ external: 'x' })
    again.close()
  })

  it('goes on with another commit, or by what it holds, where asked', () => {
    open().close()
    open({ commit: 'c2' }, { anyCommit: true }).close()
    const again = openRunFolder(path, { commit: 'c1' })
    expect(again.manifest.problems).toHaveLength(2)
    again.close()
    expect(() => openRunFolder(path, { commit: 'c2' })).toThrow('is of the commit')
  })

  it('is foreseen as it would be opened, and left alone', () => {
    const wish = { manifest: madeManifest(), commit: 'c1' }
    expect(foreseeRun(path, wish)).toEqual({ manifest: wish.manifest, results: [] })
    expect(readdirSync(home)).toEqual([])
    const first = open()
    first.add(madeResult('a.1.1'))
    first.close()
    expect(foreseeRun(path, wish).results).toHaveLength(1)
    const other = { ...wish, manifest: madeManifest({ epochs: 2 }) }
    expect(() => foreseeRun(path, other)).toThrow('is one of other number of epochs.')
    expect(() => foreseeRun(path, { commit: 'c2' })).toThrow('is of the commit "c1", not of "c2".')
  })

  it('refuses what is no run, and says where', () => {
    expect(() => openRunFolder(path, { commit: 'c1' })).toThrow(`There is no run in ${path}.`)
    open().close()
    appendFileSync(join(path, 'results.jsonl'), '{"episode":5}\n')
    expect(() => open()).toThrow('results.jsonl, line 1: episode')
    writeFileSync(join(path, 'manifest.json'), '{"schema":7}')
    expect(() => readRun(path)).toThrow('manifest.json: schema')
    rmSync(join(path, 'manifest.json'))
    expect(() => open()).toThrow('holds something that is no run: results.jsonl.')
  })

  it('leaves a folder of others as it was', () => {
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'precious'), '')
    chmodSync(path, 0o1777)
    expect(() => open()).toThrow('holds something that is no run: precious.')
    const wish = { manifest: madeManifest(), commit: 'c1' }
    expect(() => foreseeRun(path, wish)).toThrow('holds something that is no run: precious.')
    expect(statSync(path).mode & 0o7777).toBe(0o1777)
    expect(readdirSync(path)).toEqual(['precious'])
  })
})
