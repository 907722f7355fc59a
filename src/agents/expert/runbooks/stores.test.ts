/** Logins and databases in stores. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../spec/index.ts'
import { deployment, line, shop, template } from '../testing/fake-objects.ts'
import { look, only, tasksOf } from '../testing/look.ts'

describe('stores', () => {
  const store = (image: string, main: object = {}): ApiObject[] =>
    shop(...deployment('store', { now: template('store', { image, ...main }) }))

  it('grants rights in MySQL again', async () => {
    const found = await only('store-login', {
      objects: store('mysql:5.7'),
      logs: [line('cart', "Access denied for user 'ts'@'%' to database 'ts'")],
    })
    expect(found).toMatchObject({ layer: 'middleware', type: 'authentication-issue' })
    expect(found.services[0]).toBe('store')
    expect(tasksOf(found)[0]['kubernetes.core.k8s_exec']).toMatchObject({
      pod: 'store-abc',
      container: 'server',
      command: `mysql -uroot -N -e 'GRANT ALL PRIVILEGES ON ts.* TO '"'"'ts'"'"'@'"'"'%'"'"''`,
    })
  })

  it('grants rights in MongoDB to the user who has none, and starts who was turned away', async () => {
    const env = [
      { name: 'MONGO_INITDB_ROOT_USERNAME', value: 'root' },
      { name: 'MONGO_INITDB_ROOT_PASSWORD', value: 'secret' },
    ]
    const found = await only('store-login', {
      objects: store('mongo:4', { env }),
      logs: [line('cart', 'find of store failed: not authorized on cart-db to execute command')],
      answers: {
        getUsers:
          '[ { "user" : "root", "roles" : [ { "role" : "root" } ] }, { "user" : "admin", "roles" : [ ] } ]',
      },
    })
    const [grant, restart] = tasksOf(found)
    expect(grant['kubernetes.core.k8s_exec'].command).toContain(
      `-u root -p secret --authenticationDatabase admin --eval 'db.grantRolesToUser("admin", [{role: "readWrite", db: "cart-db"}])'`,
    )
    expect(restart['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('starts who fills a table that is gone', async () => {
    const found = await only('store-emptied', {
      objects: store('mysql:5.7'),
      logs: [line('cart', "Table 'ts.items' doesn't exist")],
    })
    expect(found).toMatchObject({ services: ['store', 'cart'], layer: 'middleware', type: 'operation-error' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('counts the databases of a MongoDB, which says nothing', async () => {
    const objects = store('mongo:4')
    const full = {
      answers: { listDatabases: '{ "databases" : [ { "name" : "admin" }, { "name" : "cart" } ] }' },
    }
    const empty = { answers: { listDatabases: '{ "databases" : [ { "name" : "admin" } ] }' } }
    expect(await look({ objects, ...full }, {}, 'store-emptied')).toEqual([])
    expect((await only('store-emptied', { objects, ...empty })).services).toEqual(['store', 'cart'])
  })
})
