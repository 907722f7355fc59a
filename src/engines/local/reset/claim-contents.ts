/** What lies in the volumes of claims: a copy from the time of the baseline, and how to return to it. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Client, claimFolder, persistentVolumeClaims, persistentVolumes } from '../../../kube/index.ts'
import { runChecked } from '../../../linux/index.ts'

/** Copies keep times to the microsecond. */
const SAME_TIME_MS = 1

export interface ClaimContents {
  /** Keys, `namespace/name`, of the claims whose volume holds something else now. */
  changed(): string[]
  /** While no pod uses it. */
  restore(claim: string): Promise<void>
}

const entriesOf = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : [])

const isSameFile = (one: string, other: string): boolean => {
  const [a, b] = [lstatSync(one), lstatSync(other)]
  if (a.mode !== b.mode || a.uid !== b.uid || a.gid !== b.gid) return false
  if (a.isSymbolicLink()) return readlinkSync(one) === readlinkSync(other)
  if (!a.isFile()) return true
  if (a.size !== b.size) return false
  return Math.abs(a.mtimeMs - b.mtimeMs) <= SAME_TIME_MS || readFileSync(one).equals(readFileSync(other))
}

const isSameTree = (one: string, other: string): boolean => {
  const names = entriesOf(one)
  if (names.join('\0') !== entriesOf(other).join('\0')) return false
  return names.every((name) => {
    const [a, b] = [join(one, name), join(other, name)]
    return isSameFile(a, b) && (!lstatSync(a).isDirectory() || isSameTree(a, b))
  })
}

const pathOf = (client: Client, key: string): string | undefined => {
  const [namespace = '', name = ''] = key.split('/')
  const volume = client.get(persistentVolumeClaims, namespace, name)?.spec.volumeName
  const spec = volume === undefined ? undefined : client.get(persistentVolumes, '', volume)?.spec
  return spec?.hostPath?.path ?? spec?.local?.path
}

/** Copies the content of every claim that is bound now. */
export const keepClaimContents = async (client: Client, folder: string): Promise<ClaimContents> => {
  const kept = new Map<string, string>()
  for (const [index, { metadata }] of client.list(persistentVolumeClaims).entries()) {
    const key = `${metadata.namespace}/${metadata.name}`
    const path = pathOf(client, key)
    if (path === undefined) continue
    const copy = join(folder, 'baseline', String(index))
    mkdirSync(dirname(copy), { recursive: true })
    const source = claimFolder(folder, path)
    if (existsSync(source)) await runChecked('cp', ['-a', source, copy])
    kept.set(key, copy)
  }
  const placeOf = (key: string): string | undefined => {
    const path = pathOf(client, key)
    return path === undefined ? undefined : claimFolder(folder, path)
  }
  return {
    changed: () =>
      [...kept].flatMap(([key, copy]) => {
        const place = placeOf(key)
        return place === undefined || isSameTree(copy, place) ? [] : [key]
      }),
    async restore(key) {
      const [copy, place] = [kept.get(key), placeOf(key)]
      if (copy === undefined || place === undefined) return
      rmSync(place, { recursive: true, force: true })
      if (!existsSync(copy)) return
      mkdirSync(dirname(place), { recursive: true })
      await runChecked('cp', ['-a', copy, place])
    },
  }
}
