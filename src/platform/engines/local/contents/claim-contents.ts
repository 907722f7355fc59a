/** Copies the content of claims for the baseline, and restores it. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, sleep } from '#kit'
import { removeTree, runChecked, runProgram } from '#machine/linux'
import type { ClaimContents } from '#platform/engines/reset'
import { type Client, claimFolder, persistentVolumeClaims, persistentVolumes } from '#platform/kube'
import { RemediumError } from '#spec'
import { isSameTree } from './is-same-tree.ts'

/** Delays before a volume that changed during the copy is copied again. */
const RETRY_DELAYS_MS = [20, 100, 300, 1000]

interface CopyOptions {
  client: Client
  clock: Clock
  /** The folder of the cluster. */
  folder: string
  /** Environment of helper programs of the cluster. */
  marker: Readonly<Record<string, string>>
  /** Called if a copy may be inconsistent. */
  onError(error: Error): void
}

/** Finds the folder of the volume of a claim, `namespace/name`; undefined if it has no volume. */
export const findClaimFolder = (client: Client, folder: string, key: string): string | undefined => {
  const [namespace = '', name = ''] = key.split('/')
  const volume = client.get(persistentVolumeClaims, namespace, name)?.spec.volumeName
  const spec = volume === undefined ? undefined : client.get(persistentVolumes, '', volume)?.spec
  const path = spec?.hostPath?.path ?? spec?.local?.path
  return path === undefined ? undefined : claimFolder(folder, path)
}

/**
 * Copies while pods run. A copy that equals its source afterwards is consistent: the content did not change
 * while it was copied. Otherwise the copy is repeated.
 */
const copyConsistently = async (
  key: string,
  { source, copy }: { source: string; copy: string },
  { clock, marker, onError }: CopyOptions,
): Promise<void> => {
  for (const pauseMs of [...RETRY_DELAYS_MS, undefined]) {
    await removeTree(copy)
    const { exitCode, stderr } = await runProgram('cp', ['-a', source, copy], { environment: marker })
    if (exitCode === 0 && (await isSameTree(copy, source))) return
    if (pauseMs !== undefined) await sleep(clock, pauseMs)
    else if (exitCode === 0)
      onError(new Error(`the volume of ${key} changes continuously: its copy may be inconsistent`))
    else
      throw new RemediumError('not-ready', `The volume of ${key} cannot be copied (${stderr.trim()}).`, {
        hint: 'Check that the disk has free space, and that the pods do not rename files continuously.',
      })
  }
}

/** Copies the content of every bound claim. */
export const copyClaimContents = async (options: CopyOptions): Promise<ClaimContents> => {
  const { client, folder, marker } = options
  const copies = new Map<string, string>()
  const folderOf = (key: string): string | undefined => findClaimFolder(client, folder, key)
  for (const [index, { metadata }] of client.list(persistentVolumeClaims).entries()) {
    const key = `${metadata.namespace}/${metadata.name}`
    const source = folderOf(key)
    if (source === undefined) continue
    const copy = join(folder, 'baseline', String(index))
    mkdirSync(dirname(copy), { recursive: true })
    if (existsSync(source)) await copyConsistently(key, { source, copy }, options)
    copies.set(key, copy)
  }
  return {
    async changed() {
      const found: string[] = []
      for (const [key, copy] of copies) {
        const target = folderOf(key)
        if (target !== undefined && !(await isSameTree(copy, target))) found.push(key)
      }
      return found
    },
    async restore(key) {
      const [copy, target] = [copies.get(key), folderOf(key)]
      if (copy === undefined || target === undefined) return
      await removeTree(target)
      if (!existsSync(copy)) return
      mkdirSync(dirname(target), { recursive: true })
      await runChecked('cp', ['-a', copy, target], { environment: marker })
    },
  }
}
