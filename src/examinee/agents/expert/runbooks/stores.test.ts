/** Tests of the runbooks for logins and databases of stores. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { deployment, logLine, podTemplate, shopObjects } from '../testing/fake-objects.ts'
import { findHypotheses, findOnlyHypothesis, tasksOf } from '../testing/find-hypotheses.ts'

describe('the Expert, faced with a broken store,', () => {
  const shopWithStore = (image: string, main: object = {}): ApiObject[] =>
    shopObjects(...deployment('store', { now: podTemplate('store', { image, ...main }) }))

  it('grants permissions in MySQL', async () => {
    const hypothesis = await findOnlyHypothesis('store-login', {
      objects: shopWithStore('mysql:5.7'),
      logs: [logLine('cart', "Access denied for user 'ts'@'%' to database 'ts'")],
    })
    expect(hypothesis).toMatchObject({ layer: 'middleware', type: 'authentication-issue' })
    expect(hypothesis.services[0]).toBe('store')
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s_exec']).toMatchObject({
      pod: 'store-abc',
      container: 'server',
      command: `mysql -uroot -N -e 'GRANT ALL PRIVILEGES ON ts.* TO '"'"'ts'"'"'@'"'"'%'"'"''`,
    })
  })

  it('grants permissions in MongoDB, and restarts the denied service', async () => {
    const env = [
      { name: 'MONGO_INITDB_ROOT_USERNAME', value: 'root' },
      { name: 'MONGO_INITDB_ROOT_PASSWORD', value: 'secret' },
    ]
    const hypothesis = await findOnlyHypothesis('store-login', {
      objects: shopWithStore('mongo:4', { env }),
      logs: [logLine('cart', 'find of store failed: not authorized on cart-db to execute command')],
      answers: {
        getUsers:
          '[ { "user" : "root", "roles" : [ { "role" : "root" } ] }, { "user" : "admin", "roles" : [ ] } ]',
      },
    })
    const [grant, restart] = tasksOf(hypothesis)
    expect(grant['kubernetes.core.k8s_exec'].command).toContain(
      `-u root -p secret --authenticationDatabase admin --eval 'db.grantRolesToUser("admin", [{role: "readWrite", db: "cart-db"}])'`,
    )
    expect(restart['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('restarts the service that creates a missing table', async () => {
    const hypothesis = await findOnlyHypothesis('store-emptied', {
      objects: shopWithStore('mysql:5.7'),
      logs: [logLine('cart', "Table 'ts.items' doesn't exist")],
    })
    expect(hypothesis).toMatchObject({
      services: ['store', 'cart'],
      layer: 'middleware',
      type: 'operation-error',
    })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('lists the databases of MongoDB, because it reports no error for a missing one', async () => {
    const objects = shopWithStore('mongo:4')
    const full = {
      answers: { listDatabases: '{ "databases" : [ { "name" : "admin" }, { "name" : "cart" } ] }' },
    }
    const empty = { answers: { listDatabases: '{ "databases" : [ { "name" : "admin" } ] }' } }
    expect(await findHypotheses({ objects, ...full }, {}, 'store-emptied')).toEqual([])
    expect((await findOnlyHypothesis('store-emptied', { objects, ...empty })).services).toEqual([
      'store',
      'cart',
    ])
  })
})
