/** What lies in the volumes of claims: a copy from the time of the baseline, and how to return to it. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, sleep } from '../../../kit/index.ts'
import { type Client, claimFolder, persistentVolumeClaims, persistentVolumes } from '../../../kube/index.ts'
import { removeTree, runChecked, runProgram } from '../../../linux/index.ts'
import { RemediumError } from '../../../spec/index.ts'
import { isSameTree } from './same-tree.ts'

/** Pauses before a volume is copied again that was written to meanwhile. */
const PAUSES_MS = [20, 100, 300, 1000]

export interface ClaimContents {
  /** Keys, `namespace/name`, of the claims whose volume holds something else now. */
  changed(): Promise<string[]>
  /** While no pod uses it. */
  restore(claim: string): Promise<void>
}

interface Keeping {
  client: Client
  clock: Clock
  /** Of the cluster. */
  folder: string
  /** Environment of programs that are started for the cluster. */
  marker: Readonly<Record<string, string>>
  /** Told of what could be done only by halves. */
  onError(error: Error): void
}

/** Where the volume of a claim, `namespace/name`, lies on this machine; nothing while it has none. */
export const placeOfClaim = (client: Client, folder: string, key: string): string | undefined => {
  const [namespace = '', name = ''] = key.split('/')
  const volume = client.get(persistentVolumeClaims, namespace, name)?.spec.volumeName
  const spec = volume === undefined ? undefined : client.get(persistentVolumes, '', volume)?.spec
  const path = spec?.hostPath?.path ?? spec?.local?.path
  return path === undefined ? undefined : claimFolder(folder, path)
}

/**
 * Copies while pods go on. A copy that equals its source afterwards is what lay there at one moment, the one
 * between copying and comparing; otherwise it is made again.
 */
const copyAtOneMoment = async (
  key: string,
  { source, copy }: { source: string; copy: string },
  { clock, marker, onError }: Keeping,
): Promise<void> => {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    await removeTree(copy)
    const { exitCode, stderr } = await runProgram('cp', ['-a', source, copy], { environment: marker })
    if (exitCode === 0 && (await isSameTree(source, copy))) return
    if (pauseMs !== undefined) await sleep(clock, pauseMs)
    else if (exitCode === 0)
      onError(new Error(`the volume of ${key} is written to all the time: its copy may not be whole`))
    else
      throw new RemediumError('not-ready', `The volume of ${key} cannot be copied (${stderr.trim()}).`, {
        hint: 'See that there is room on the disk, and that its pods do not rename files all the time.',
      })
  }
}

/** Copies the content of every claim that is bound now. */
export const keepClaimContents = async (keeping: Keeping): Promise<ClaimContents> => {
  const { client, folder, marker } = keeping
  const kept = new Map<string, string>()
  const placeOf = (key: string): string | undefined => placeOfClaim(client, folder, key)
  for (const [index, { metadata }] of client.list(persistentVolumeClaims).entries()) {
    const key = `${metadata.namespace}/${metadata.name}`
    const source = placeOf(key)
    if (source === undefined) continue
    const copy = join(folder, 'baseline', String(index))
    mkdirSync(dirname(copy), { recursive: true })
    if (existsSync(source)) await copyAtOneMoment(key, { source, copy }, keeping)
    kept.set(key, copy)
  }
  return {
    async changed() {
      const found: string[] = []
      for (const [key, copy] of kept) {
        const place = placeOf(key)
        if (place !== undefined && !(await isSameTree(copy, place))) found.push(key)
      }
      return found
    },
    async restore(key) {
      const [copy, place] = [kept.get(key), placeOf(key)]
      if (copy === undefined || place === undefined) return
      await removeTree(place)
      if (!existsSync(copy)) return
      mkdirSync(dirname(place), { recursive: true })
      await runChecked('cp', ['-a', copy, place], { environment: marker })
    },
  }
}
