/** The list of programs for text. */
import type { PodProgram } from '../pod-program.ts'
import { base64 } from './base64.ts'
import { cat } from './cat.ts'
import { md5sum, sha256sum } from './checksum.ts'
import { cut } from './cut.ts'
import { grepPrograms } from './grep.ts'
import { head } from './head.ts'
import { rev, tac } from './reverse.ts'
import { sed } from './sed.ts'
import { sort } from './sort.ts'
import { tail } from './tail.ts'
import { tee } from './tee.ts'
import { tr } from './tr.ts'
import { uniq } from './uniq.ts'
import { wc } from './wc.ts'

export const textPrograms: Readonly<Record<string, PodProgram>> = {
  ...grepPrograms,
  base64,
  cat,
  cut,
  head,
  md5sum,
  rev,
  sed,
  sha256sum,
  sort,
  tac,
  tail,
  tee,
  tr,
  uniq,
  wc,
}
