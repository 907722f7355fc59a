/** Tests Simple-Micro on simulated clusters: its services answer, and each bad release shows its defect. */
import { expect, it } from 'vitest'
import { createSimEngine } from '#platform/engines/sim'
import type { HttpResponseContent } from '#spec'
import { system } from '../system.ts'

const provision = (releases: Readonly<Record<string, string>> = {}) => {
  const engine = createSimEngine({
    onError: (source, error) => expect.unreachable(`${source}: ${(error as Error).stack}`),
  })
  // The deployed tag gets the image of the release.
  const images = system.images.map((image) => {
    const other = system.images.find(({ name }) => name === releases[image.name])
    return other === undefined ? image : { ...other, name: image.name }
  })
  return engine.provision({ ...system, images })
}

type Cluster = Awaited<ReturnType<typeof provision>>

const request = async (cluster: Cluster, target: string): Promise<HttpResponseContent> => {
  const connection = await cluster.connectUser!('hello')
  const content = { method: 'GET', target, headers: {} }
  const answer = await connection.exchange({ content, bytes: 100 })
  connection.close()
  return answer.content as HttpResponseContent
}

it('greets with the time from time-service, also for several users at once', async () => {
  const cluster = await provision()
  await cluster.clock.run(async () => {
    const answers = await Promise.all([1, 2, 3].map(() => request(cluster, '/hello')))
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect(JSON.parse(body)).toEqual({
        msg: 'Hello',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/),
      })
    }
    expect((await request(cluster, '/nowhere')).status).toBe(404)
    const { body } = await request(cluster, '/metrics')
    expect(body).toContain('\nrequests_served_total{endpoint="GET /hello",status="200"} 3\n')
    expect(body).toContain('\ncalls_total{peer="time-service",operation="GET /time",outcome="ok"} 3\n')
    await cluster.close()
  })
})

it.each([
  // Each service delays its request.
  ['3.9.20-slim', 600],
  // The other thread uses all CPU time of the container.
  ['3.9.17-slim', 10],
])('the release %s delays a greeting by %i ms', async (tag, ms) => {
  const cluster = await provision({ 'python:3.9-slim': `python:${tag}` })
  await cluster.clock.run(async () => {
    const start = cluster.clock.now()
    expect((await request(cluster, '/hello')).status).toBe(200)
    expect(cluster.clock.now() - start).toBeGreaterThanOrEqual(ms)
    await cluster.close()
  })
})
