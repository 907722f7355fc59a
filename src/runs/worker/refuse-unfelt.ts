/** Nobody is judged by a problem that users do not feel. */
import type { Prepared } from '../../episode/index.ts'
import { RemediumError } from '../../spec/index.ts'

export const refuseUnfelt = ({ shown, problem }: Prepared): void => {
  if (shown || problem.faults.length === 0) return
  const names = problem.faults.map(({ fault, target }) => `${fault} in ${target.service}`)
  throw new RemediumError('not-felt', `Users do not feel ${names.join(' and ')}.`)
}
