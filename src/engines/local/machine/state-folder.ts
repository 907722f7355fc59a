/** Where everything lies that clusters keep on disk. */
import { mkdirSync, rmdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { whileLocked } from '../../../linux/index.ts'
import { RemediumError } from '../../../spec/index.ts'

/** Absolute: a cluster in the background has another working folder. */
export const stateFolder = (): string => resolve(process.env.REMEDIUM_STATE || '/var/lib/remedium')

export const clustersFolder = (state: string): string => join(state, 'clusters')

const removeIfEmpty = (folder: string): void => {
  try {
    rmdirSync(folder)
  } catch {
    // Somebody else's cluster is in it, or it is gone already.
  }
}

const makeState = (state: string): void => {
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new RemediumError('not-permitted', `The state folder ${state} cannot be made.`, {
      hint: 'Run Remedium as root, or name a folder that you may write to in REMEDIUM_STATE.',
      cause,
    })
  }
}

/**
 * Runs `task`, which must not wait, while no other process changes what clusters there are. The folder of clusters
 * is there meanwhile, and afterwards only if something is in it.
 */
export const whileStateLocked = <T>(state: string, task: () => T): T => {
  makeState(state)
  return whileLocked(state, () => {
    mkdirSync(clustersFolder(state), { recursive: true, mode: 0o700 })
    try {
      return task()
    } finally {
      removeIfEmpty(clustersFolder(state))
    }
  })
}
