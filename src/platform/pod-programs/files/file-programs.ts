/** The programs for files and folders. Those that change permissions change nothing, and are limited to temporary files. */
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, ProgramFailure } from '../pod-program.ts'
import { cp, mv } from './cp-and-mv.ts'
import { find } from './find.ts'
import { forEachPath } from './for-each-path.ts'
import { ls } from './ls.ts'
import { mkdir, rmdir } from './mkdir.ts'
import { pathPrograms } from './path-programs.ts'
import { rm } from './rm.ts'
import { mktemp, touch } from './touch.ts'
import { typeOf } from './type-of.ts'

const TEMPORARY = /^\/(?:tmp|var\/tmp|dev\/shm)\//

/** Permissions are not modelled. Oracles would not see that those of other files were changed. */
const ignoreChange: PodProgram = (call) => {
  const [, ...paths] = parseOptions(call, { flags: 'Rfx' }).operands
  if (!paths.every((path) => TEMPORARY.test(call.resolve(path)))) call.refuse()
  const check = (path: string): void => {
    if (typeOf(call, path) === undefined)
      throw new ProgramFailure(`cannot access '${path}': No such file or directory`)
  }
  return forEachPath(call, paths, check, (path) => path)
}

const sync: PodProgram = () => 0

export const filePrograms: Readonly<Record<string, PodProgram>> = {
  ...pathPrograms,
  chgrp: ignoreChange,
  chmod: ignoreChange,
  chown: ignoreChange,
  cp,
  find,
  ls,
  mkdir,
  mktemp,
  mv,
  rm,
  rmdir,
  sync,
  touch,
}
