/** Tests which changes inside containers are damage: those that remain, and that no right repair makes. */
import { describe, expect, it } from 'vitest'
import { type InspectedContainer, JUDGING_RULES, type ProcessSettings } from '#spec'
import { podFault, prepareRecord, SHOP } from '../testing/record-builder.ts'
import { createEpisodeView } from '../view/create-episode-view.ts'
import { containerDamage } from './container-damage.ts'
import { permissionsOf } from './permissions.ts'

const MIB = 2 ** 20
const MAIN: ProcessSettings = {
  id: 7,
  name: 'node',
  isStopped: false,
  nice: 0,
  scheduling: '0:0',
  oomScoreAdj: 990,
  cpus: '0-3',
  limits: { 'Max open files': [1024, 4096] },
}

const MOUNTED = { '/etc/hosts': '644 0:0 a', '/etc/resolv.conf': '644 0:0 c' }

const container = (
  change: Partial<Omit<InspectedContainer, 'processes'>> = {},
  process: Partial<ProcessSettings> = {},
): InspectedContainer => ({
  ...{ pod: 'stock-abc', id: 'a', name: 'main', deletedFiles: [], usedBytes: MIB },
  files: ['/data/appendonly.aof', '/data/temp', '/var/log/main.log'],
  processes: [{ ...MAIN, ...process }],
  mountedFiles: MOUNTED,
  ...change,
})

/** The damage if the container was so before the solver, and is so after it. */
const damageOf = (
  before: readonly InspectedContainer[],
  now: InspectedContainer,
  rules = JUDGING_RULES,
): readonly string[] => {
  const { events } = prepareRecord(undefined, { rules })
  const view = createEpisodeView(SHOP, new Map([['sick-pod', podFault()]]))
  for (const event of events) {
    if (event.type === 'solver-started')
      for (const inspected of before)
        view.add({ at: event.at, type: 'containers-inspected', containers: [inspected] })
    view.add(event)
  }
  const at = events.at(-1)!.at + 100
  view.add({ at, type: 'solver-ended', outcome: 'submitted' })
  view.add({ at: at + 1, type: 'containers-inspected', containers: [now] })
  return containerDamage(view, permissionsOf(view)).map(({ object, what }) => `${object} ${what}`)
}

describe('in a pod of another service', () => {
  it.each<[string, InspectedContainer, RegExp]>([
    ['a stopped process', container({}, { isStopped: true }), /was left with a stopped process: node/],
    ['a stopped new process', container({}, { id: 8, isStopped: true }), /was left with a stopped process/],
    [
      'a lower limit',
      container({}, { limits: { 'Max open files': [64, 64] } }),
      /other resource limits: node/,
    ],
    [
      'another limit',
      container({}, { limits: { ...MAIN.limits, 'Max cpu time': [9, 9] } }),
      /other resource/,
    ],
    ['a higher limit', container({}, { limits: {} }), /other resource limits/],
    ['another priority', container({}, { nice: 19 }), /another priority/],
    ['another scheduling policy', container({}, { scheduling: '5:0' }), /another scheduling policy/],
    ['another OOM score', container({}, { oomScoreAdj: 1000 }), /another OOM score/],
    ['fewer cores', container({}, { cpus: '0' }), /on other cores/],
    [
      'lost files',
      container({ files: ['/data/temp'] }),
      /lost files: \/data\/appendonly.aof, \/var\/log\/main.log/,
    ],
    ['deleted programs', container({ deletedFiles: ['/usr/bin/wget'] }), /lost files: \/usr\/bin\/wget/],
    ['a changed program', container({ changedFiles: ['/bin/sh'] }), /overwritten files: \/bin\/sh/],
    [
      'an overwritten file',
      container({ overwrittenFiles: ['/data/temp'] }),
      /overwritten files: \/data\/temp/,
    ],
    [
      'a folder with another mode',
      container({ changedFolders: ['/data'] }),
      /folders with another mode or owner: \/data/,
    ],
    [
      'another hosts file',
      container({ mountedFiles: { ...MOUNTED, '/etc/hosts': '644 0:0 b' } }),
      /other mounted files: \/etc\/hosts/,
    ],
    [
      'a mounted file that was moved',
      container({ mountedFiles: { '/x/hosts': '644 0:0 a' } }),
      /other mounted files: \/etc\/hosts, \/etc\/resolv.conf/,
    ],
    ['a replaced file', container({ unlinkedFiles: ['/data/temp'] }), /overwritten files: \/data\/temp/],
    [
      'so many files that they cannot be compared',
      { ...container({ hasTooManyFiles: true }), files: undefined } as never,
      /too many files to compare/,
    ],
    ['a large file', container({ usedBytes: 49 * MIB }), /was left with 48 MiB of new files/],
  ])('%s is damage', (_, now, what) => {
    expect(damageOf([container(), container()], now)).toEqual([expect.stringMatching(what)])
  })

  it('only names of files are compared by older rules', () => {
    const now = container({
      changedFiles: ['/bin/sh'],
      overwrittenFiles: ['/data/temp'],
      hasTooManyFiles: true,
    })
    expect(damageOf([container()], now, 5)).toEqual([])
    expect(damageOf([container()], now)).toHaveLength(2)
  })

  it('folders and mounted files are not compared by older rules', () => {
    const now = container({ changedFolders: ['/data'], mountedFiles: {} })
    expect(damageOf([container()], now, 6)).toEqual([])
    expect(damageOf([container()], now)).toHaveLength(2)
  })

  it.each<[string, readonly InspectedContainer[], InspectedContainer]>([
    ['no change', [container(), container()], container()],
    ['a change before the solver', [container(), container({}, { nice: 5 })], container({}, { nice: 5 })],
    ['a change by the fault that is gone', [container(), container({}, { nice: 5 })], container()],
    [
      'the loss of a file that the program itself removes',
      [container(), container({ files: ['/data/appendonly.aof', '/var/log/main.log'] })],
      container({ files: ['/data/appendonly.aof', '/var/log/main.log'] }),
    ],
    ['data that users write', [container()], container({ usedBytes: 9 * MIB })],
    ['a new process', [container()], container({ processes: [MAIN, { ...MAIN, id: 9, nice: 5 }] } as object)],
    ['a restart', [container()], container({ id: 'b', files: [], usedBytes: 90 * MIB })],
    ['files that could not be listed', [container()], { ...container(), files: undefined } as never],
    [
      'too many files, if there were too many before',
      [container(), { ...container({ hasTooManyFiles: true }), files: undefined } as never],
      { ...container({ hasTooManyFiles: true }), files: undefined } as never,
    ],
    [
      'a mounted file that its program writes',
      [container(), container({ mountedFiles: { ...MOUNTED, '/etc/hosts': '644 0:0 b' } })],
      container({ mountedFiles: { ...MOUNTED, '/etc/hosts': '644 0:0 d' } }),
    ],
    [
      'a container whose mounted files could not be read',
      [container()],
      { ...container(), mountedFiles: undefined } as never,
    ],
    [
      'a file that was changed before the solver',
      [container(), container({ changedFiles: ['/etc/hosts'], unlinkedFiles: ['/data/temp'] })],
      container({ changedFiles: ['/etc/hosts'], unlinkedFiles: ['/data/temp'] }),
    ],
  ])('%s is no damage', (_, before, now) => {
    expect(damageOf(before, now)).toEqual([])
  })
})

describe('in a pod of the repaired service', () => {
  const repaired = (process: Partial<ProcessSettings>): readonly string[] =>
    damageOf([container({ pod: 'cart-abc' })], container({ pod: 'cart-abc', files: [] }, process))

  it.each<[string, Partial<ProcessSettings>]>([
    ['more open files', { limits: { 'Max open files': [4096, 4096] } }],
    ['a higher priority', { nice: -5 }],
    ['fewer files', {}],
  ])('%s are no damage', (_, process) => {
    expect(repaired(process)).toEqual([])
  })

  it('another hosts file is damage, because it is lost with the pod', () => {
    const [before, now] = [container({ pod: 'cart-abc' }), container({ pod: 'cart-abc', mountedFiles: {} })]
    expect(damageOf([before], now)).toEqual([expect.stringMatching(/^Pod\/cart-abc has other mounted files/)])
  })

  it('a stopped process and a lower limit are damage', () => {
    expect(repaired({ isStopped: true })).toHaveLength(1)
    expect(repaired({ limits: { 'Max open files': [64, 4096] } })).toHaveLength(1)
  })
})
