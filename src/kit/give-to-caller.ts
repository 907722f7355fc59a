/** Gives files that were written under sudo to the user who called sudo, so that the user can read them. */
import { lchownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const toId = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined

/** Returns the user and group of the caller; undefined without sudo, or if root called sudo. */
const findCaller = (env: NodeJS.ProcessEnv): { uid: number; gid: number } | undefined => {
  const [uid, gid] = [toId(env.SUDO_UID), toId(env.SUDO_GID)]
  if (uid === undefined || gid === undefined || uid === 0) return undefined
  return process.geteuid?.() === 0 ? { uid, gid } : undefined
}

/** Changes the owner of a file, or of a folder with its contents. Does not follow links. */
export const giveToCaller = (path: string, env: NodeJS.ProcessEnv = process.env): void => {
  const caller = findCaller(env)
  const entry = caller && lstatSync(path, { throwIfNoEntry: false })
  if (caller === undefined || entry === undefined) return
  if (entry.isDirectory()) for (const name of readdirSync(path)) giveToCaller(join(path, name), env)
  // A hard link could be another name for a system file.
  if (!entry.isDirectory() && entry.nlink > 1) return
  if (entry.uid !== caller.uid || entry.gid !== caller.gid) lchownSync(path, caller.uid, caller.gid)
}
