/** The state folder, which contains all files of clusters. */
import { mkdirSync, rmdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { whileLocked } from '#machine/host'
import { RemediumError } from '#spec'

/** Only root can run real containers; the simulated clusters of other users are below their home. */
const defaultStateFolder = (): string =>
  process.getuid?.() === 0 ? '/var/lib/remedium' : join(homedir(), '.local', 'state', 'remedium')

/** Absolute, because a background cluster has another working directory. */
export const stateFolder = (): string => resolve(process.env.REMEDIUM_STATE || defaultStateFolder())

export const clustersFolder = (state: string): string => join(state, 'clusters')

const removeIfEmpty = (folder: string): void => {
  try {
    rmdirSync(folder)
  } catch {
    // The folder contains a cluster, or is already removed.
  }
}

const createStateFolder = (state: string): void => {
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new RemediumError('not-permitted', `The state folder ${state} cannot be created.`, {
      hint: 'Set REMEDIUM_STATE to a folder that you can write to.',
      cause,
    })
  }
}

/**
 * Runs the synchronous `task` while no other process adds or removes clusters. The folder of clusters exists during the
 * task, and is removed afterwards if it is empty.
 */
export const withStateLock = <T>(state: string, task: () => T): T => {
  createStateFolder(state)
  return whileLocked(state, () => {
    mkdirSync(clustersFolder(state), { recursive: true, mode: 0o700 })
    try {
      return task()
    } finally {
      removeIfEmpty(clustersFolder(state))
    }
  })
}
