/** Describes who may use a file or a folder. */
import type { Stats } from 'node:fs'

/** All bits of the mode that permit something. */
const PERMISSIONS = 0o7777

export const ownerOf = ({ uid, gid }: Stats): string => `${uid}:${gid}`

/** Such as `755 0:0`. */
export const ownerAndModeOf = (stats: Stats): string =>
  `${(stats.mode & PERMISSIONS).toString(8)} ${ownerOf(stats)}`
