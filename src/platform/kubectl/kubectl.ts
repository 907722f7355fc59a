/** The program kubectl. Commands and options that are not modelled are rejected. */
import { UnsupportedCommand } from '#spec'
import { KUBECTL_MS } from './client/kubectl-call.ts'
import { errorText, KubectlError } from './client/kubectl-error.ts'
import type { Program } from './command-context.ts'
import { annotate, label } from './verbs/annotate.ts'
import { apply, create, replace } from './verbs/apply.ts'
import { cordon, uncordon } from './verbs/cordon.ts'
import { deleteObjects } from './verbs/delete.ts'
import { drain } from './verbs/drain.ts'
import { exec } from './verbs/exec.ts'
import { get } from './verbs/get.ts'
import { logs } from './verbs/logs.ts'
import { patch, scale } from './verbs/patch.ts'
import { rollout } from './verbs/rollout.ts'
import { set } from './verbs/set.ts'
import { taint } from './verbs/taint.ts'
import { top } from './verbs/top.ts'
import { takeWord, type Verb } from './verbs/verb.ts'
import { wait } from './verbs/wait.ts'

const VERBS: Readonly<Record<string, Verb>> = {
  annotate,
  apply,
  cordon,
  create,
  delete: deleteObjects,
  drain,
  exec,
  get,
  label,
  logs,
  patch,
  replace,
  rollout,
  scale,
  set,
  taint,
  top,
  uncordon,
  wait,
}

export const kubectl: Program = async (program) => {
  const { word: verb, rest } = takeWord(program.args)
  const run = verb === undefined || !Object.hasOwn(VERBS, verb) ? undefined : VERBS[verb]
  if (run === undefined) throw new UnsupportedCommand(`kubectl ${verb ?? ''}`.trim())
  await program.sleep(KUBECTL_MS)
  try {
    return await run(program, rest)
  } catch (error) {
    const text = errorText(error)
    if (text === undefined) throw error
    program.err(`${text}\n`)
    return error instanceof KubectlError ? error.code : 1
  }
}
