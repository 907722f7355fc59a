/** Tests the folders of simulated clusters, which need no permissions. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  claimClusterFolder,
  listClusterFolders,
  pruneClusterFolders,
  recordOutsideFile,
  removeClusterFolder,
} from './index.ts'

let state: string
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'remedium-state-'))
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

const claim = (name: string) => claimClusterFolder(state, { engine: 'sim', name, system: 'shop', created: 1 })

it('are claimed, listed and removed with the file that the user named', () => {
  const claimed = claim('lab')
  expect(listClusterFolders(state)).toEqual([claimed])
  expect(claimed.record).toMatchObject({ engine: 'sim', system: 'shop', owner: { pid: process.pid } })
  expect(() => claim('lab')).toThrow('The cluster "lab" already exists.')
  const kubeconfig = join(state, 'mine')
  recordOutsideFile(claimed.folder, kubeconfig, 'text')
  writeFileSync(kubeconfig, 'text')
  removeClusterFolder(state, claimed)
  expect(readdirSync(state)).toEqual([])
})

it('are pruned when their process has ended', () => {
  const [orphan, kept] = [claim('orphan'), claim('kept')]
  const file = join(orphan.folder, 'owner.json')
  const record = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...record, owner: { ...record.owner, startTime: 1 } }))
  expect(pruneClusterFolders(state)).toEqual(['orphan'])
  expect([existsSync(orphan.folder), existsSync(kept.folder)]).toEqual([false, true])
})

it('are given up if another step of the claim fails', () => {
  const undone: string[] = []
  const steps = {
    claim() {
      throw new Error('no control groups')
    },
    undo: (id: string) => void undone.push(id),
  }
  const request = { engine: 'sim', name: 'lab', system: undefined, created: 1 } as const
  expect(() => claimClusterFolder(state, request, steps)).toThrow('no control groups')
  expect(undone).toHaveLength(1)
  expect(readdirSync(state)).toEqual([])
})
