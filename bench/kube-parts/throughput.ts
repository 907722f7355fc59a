/** Measures how many requests per second a server answers. */

/** Keeps `parallel` requests in flight for `seconds`, and resolves to requests per second. `turn` numbers the requests. */
export const measureThroughput = async (
  parallel: number,
  seconds: number,
  send: (turn: number) => Promise<unknown>,
): Promise<number> => {
  let done = 0
  const started = performance.now()
  const end = started + seconds * 1000
  await Promise.all(
    Array.from({ length: parallel }, async (_, slot) => {
      for (let turn = slot; performance.now() < end; turn += parallel) {
        await send(turn)
        done += 1
      }
    }),
  )
  return done / ((performance.now() - started) / 1000)
}
