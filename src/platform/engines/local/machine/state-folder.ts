/** The state folder, which contains all files of clusters. */
import { mkdirSync, rmdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { whileLocked } from '#machine/linux'
import { RemediumError } from '#spec'

/** Absolute, because a background cluster has another working directory. */
export const stateFolder = (): string => resolve(process.env.REMEDIUM_STATE || '/var/lib/remedium')

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
      hint: 'Run Remedium as root, or set REMEDIUM_STATE to a folder that you can write to.',
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
