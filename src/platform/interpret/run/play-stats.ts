/** The figures of the recap. */

export interface PlayStats {
  ok: number
  changed: number
  failures: number
  skipped: number
  rescued: number
  ignored: number
}

export const createPlayStats = (): PlayStats => ({
  ok: 0,
  changed: 0,
  failures: 0,
  skipped: 0,
  rescued: 0,
  ignored: 0,
})
