/** Who changes nothing and says nothing. */
import type { Solver } from '../../spec/index.ts'

export const doNothing: Solver = { name: 'do-nothing', isTrusted: true, async solve() {} }
