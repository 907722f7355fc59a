/** Compares the results of Ansible with those of the interpreter. */
import { isDeepStrictEqual } from 'node:util'
import type { TaskResult } from '#platform/playbook'
import { RESCUE } from './proof-case.ts'

/** Removes text that differs in every run, and Ansible's details about positions and exceptions. */
const normalise = (message: string | undefined): string =>
  (message ?? '')
    .replaceAll(/\n\nThe error appears to be in [\s\S]*$/g, '')
    .replaceAll(
      /Traceback \(most recent call last\):[\s\S]*?(?=\w+(?:\.\w+)*(?:Error|Exception|Timeout)\b)/g,
      'Traceback ',
    )
    // Their order depends on the second in which they were written. What follows them is cut off at different places.
    .replaceAll(/\\*"managedFields\\*":\[.*/g, 'MANAGED FIELDS')
    .replaceAll(/HTTP response headers: .*\n/g, '')
    .replaceAll(/Original traceback: [\s\S]*$/g, '')
    .replaceAll(/^E\d{4} [\d:.]+ +\d+ /gm, 'LOG ')
    // The observed progress of a rollout depends on the time.
    .replaceAll(/^Waiting for .*\n/gm, '')
    .replaceAll(/\bnode[1-3]\b/g, 'NODE')
    .replaceAll(/-[a-z0-9]{8,10}-[a-z0-9]{5}\b/g, '-POD')
    .replaceAll(/(resourceVersion\\*": ?\\*")\d+/g, '$1VERSION')
    .replaceAll(/\b\d+\.\d+\.\d+\.\d+ */g, 'ADDRESS ')
    .replaceAll(/CLUSTER-IP +/g, 'CLUSTER-IP ')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replaceAll(/\b\d+(?:ms|s|m\d+s|m)\b/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID')
    .trim()

const relevant = (tasks: readonly TaskResult[]): string[] =>
  tasks
    .filter(({ task }) => task !== RESCUE)
    .map(({ task, outcome, message }) => `${outcome}: ${task}: ${normalise(message)}`)

export interface Difference {
  readonly case: string
  readonly real: readonly string[]
  readonly interpreted: readonly string[]
}

export const compareTasks = (
  name: string,
  real: readonly TaskResult[],
  interpreted: readonly TaskResult[],
): Difference | undefined => {
  const [expected, found] = [relevant(real), relevant(interpreted)]
  return isDeepStrictEqual(expected, found) ? undefined : { case: name, real: expected, interpreted: found }
}

/** Objects that are not equal, with both forms. */
export const compareObjects = (
  real: ReadonlyMap<string, object>,
  interpreted: ReadonlyMap<string, object>,
): Difference[] =>
  [...new Set([...real.keys(), ...interpreted.keys()])]
    .filter((name) => !isDeepStrictEqual(real.get(name), interpreted.get(name)))
    .map((name) => ({
      case: name,
      real: [JSON.stringify(real.get(name) ?? null)],
      interpreted: [JSON.stringify(interpreted.get(name) ?? null)],
    }))
