/** Tests kubectl create, run and expose. */
import { describe, expect, it } from 'vitest'
import { webConfig } from '../testing/manifests.ts'
import { minorOf, thoroughKubectls, useTestCluster } from '../testing/use-test-cluster.ts'

const lab = useTestCluster()

describe.concurrent.each(thoroughKubectls())('kubectl $version', (kubectl) => {
  const minor = minorOf(kubectl)

  it('create deployment', async () => {
    const sh = await lab.open(kubectl, 'deployment')
    expect(await sh('kubectl create deployment web --image=nginx:1.27 --replicas=2 --port=80')).toBe(
      'deployment.apps/web created\n',
    )
    const { spec } = JSON.parse(await sh('kubectl get deploy web -o json'))
    expect(spec).toMatchObject({
      replicas: 2,
      revisionHistoryLimit: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        spec: {
          containers: [
            {
              name: 'nginx',
              image: 'nginx:1.27',
              ports: [{ containerPort: 80, protocol: 'TCP' }],
              imagePullPolicy: 'IfNotPresent',
            },
          ],
        },
      },
    })
    await sh.eventually('kubectl get deploy web', /2\/2/)
    expect(await sh.expectFailure('kubectl create deployment web --image=nginx')).toMatch(
      /error: failed to create deployment: deployments\.apps "web" already exists|Error from server \(AlreadyExists\)/,
    )
    expect(await sh('kubectl create deployment dry --image=nginx --dry-run=server -o name')).toBe(
      'deployment.apps/dry\n',
    )
    expect(await sh('kubectl create deployment dry --image=nginx --dry-run=client -o yaml')).toContain(
      'creationTimestamp: null',
    )
    await sh.expectFailure('kubectl get deploy dry')
  })

  it('create namespace, configmap, serviceaccount', async () => {
    const sh = await lab.open(kubectl, 'simple')
    expect(await sh(`kubectl create namespace made-${minor}`)).toBe(`namespace/made-${minor} created\n`)
    expect(
      await sh(
        `kubectl get ns made-${minor} -o jsonpath='{.status.phase} {.spec.finalizers} {.metadata.labels}'`,
      ),
    ).toBe(`Active ["kubernetes"] {"kubernetes.io/metadata.name":"made-${minor}"}`)
    await sh('printf one > first; printf "a=1\\nb=2\\n" > settings.env')
    await sh('kubectl create configmap files --from-file=first --from-file=renamed=first --from-literal=x=y')
    expect(await sh('kubectl get cm files -o jsonpath={.data}')).toBe(
      '{"first":"one","renamed":"one","x":"y"}',
    )
    await sh('kubectl create configmap env --from-env-file=settings.env')
    expect(await sh('kubectl get cm env -o jsonpath={.data}')).toBe('{"a":"1","b":"2"}')
    await sh(
      'head -c 8 /dev/urandom > binary; printf "\\377" >> binary; kubectl create cm bin --from-file=binary',
    )
    expect(
      await sh('kubectl get cm bin -o jsonpath={.binaryData.binary} | base64 -d | cmp - binary && echo same'),
    ).toBe('same\n')
    expect(await sh('kubectl create sa robot')).toBe('serviceaccount/robot created\n')
  })

  it('create secret generic, tls, docker-registry', async () => {
    const sh = await lab.open(kubectl, 'secrets')
    await sh('kubectl create secret generic plain --from-literal=password=hunter2')
    expect(await sh('kubectl get secret plain -o jsonpath="{.type} {.data.password}"')).toBe(
      'Opaque aHVudGVyMg==',
    )
    await sh(
      'openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=test -days 1 2>/dev/null',
    )
    await sh('kubectl create secret tls tls --cert=cert.pem --key=key.pem')
    expect(await sh('kubectl get secret tls -o jsonpath={.type}')).toBe('kubernetes.io/tls')
    await sh(
      'kubectl create secret docker-registry pull --docker-server=r.example --docker-username=u --docker-password=p',
    )
    expect(await sh('kubectl get secret pull -o jsonpath={.type}')).toBe('kubernetes.io/dockerconfigjson')
    expect(await sh('kubectl get secrets')).toMatch(
      /^NAME +TYPE +DATA +AGE\nplain +Opaque +1 .*\npull +kubernetes.io\/dockerconfigjson +1 .*\ntls +kubernetes.io\/tls +2 /,
    )
  })

  it('create job, and wait for its completion', async () => {
    const sh = await lab.open(kubectl, 'jobs')
    await sh('kubectl create job hello --image=busybox -- sh -c "echo hello from a job"')
    await sh.eventually('kubectl get job hello', /Complete +1\/1|hello +1\/1/)
    expect(await sh('kubectl logs job/hello')).toBe('hello from a job\n')
    expect(
      await sh('kubectl get job hello -o jsonpath="{.status.conditions[-1:].type} {.status.succeeded}"'),
    ).toBe('Complete 1')
  })

  // Older versions request API versions that Kubernetes 1.32 no longer serves.
  if (minor >= 21)
    it('create cronjob, and a job from it; create pdb', async () => {
      const sh = await lab.open(kubectl, 'cron')
      expect(
        await sh('kubectl create cronjob tick --image=busybox --schedule="0 0 1 1 *" -- echo tick'),
      ).toBe('cronjob.batch/tick created\n')
      expect(await sh('kubectl get cronjob')).toMatch(
        /^NAME +SCHEDULE +TIMEZONE +SUSPEND +ACTIVE +LAST SCHEDULE +AGE\ntick +0 0 1 1 \* +<none> +False +0 +<none>/,
      )
      expect(await sh('kubectl create job once --from=cronjob/tick')).toBe('job.batch/once created\n')
      expect(
        await sh(
          'kubectl get job once -o jsonpath="{.metadata.annotations} {.metadata.ownerReferences[0].name}"',
        ),
      ).toBe('{"cronjob.kubernetes.io/instantiate":"manual"} tick')
      expect(await sh('kubectl create pdb keep --selector=app=web --min-available=50%')).toBe(
        'poddisruptionbudget.policy/keep created\n',
      )
      expect(await sh('kubectl get pdb')).toMatch(
        /^NAME +MIN AVAILABLE +MAX UNAVAILABLE +ALLOWED DISRUPTIONS +AGE\nkeep +50% +N\/A +0/,
      )
    })
  else
    it('create cronjob and pdb fail with API versions that are no longer served', async () => {
      const sh = await lab.open(kubectl, 'cron')
      expect(
        await sh.expectFailure(
          'kubectl create cronjob tick --image=busybox --schedule="0 0 1 1 *" -- echo tick',
        ),
      ).toContain('the server could not find the requested resource')
      expect(
        await sh.expectFailure('kubectl create pdb keep --selector=app=web --min-available=50%'),
      ).toContain('no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"')
    })

  it('create role, rolebinding, clusterrole, clusterrolebinding', async () => {
    const sh = await lab.open(kubectl, 'roles')
    await sh('kubectl create role reader --verb=get,list --resource=pods,deployments.apps')
    expect(JSON.parse(await sh('kubectl get role reader -o json')).rules).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] },
    ])
    await sh('kubectl create rolebinding readers --role=reader --user=jane --serviceaccount=default:default')
    expect(await sh('kubectl get rolebinding readers -o wide')).toMatch(
      /^NAME +ROLE +AGE +USERS +GROUPS +SERVICEACCOUNTS\nreaders +Role\/reader +\S+ +jane +default\/default/,
    )
    await sh(`kubectl create clusterrole all-${minor} --verb='*' --resource='*'`)
    await sh(`kubectl create clusterrole raw-${minor} --verb=get --non-resource-url=/logs/`)
    await sh(`kubectl create clusterrolebinding bound-${minor} --clusterrole=view --group=team`)
    expect(await sh(`kubectl get clusterrolebinding bound-${minor} -o jsonpath={.roleRef}`)).toBe(
      '{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"}',
    )
    expect(await sh(`kubectl auth can-i list pods --as=jane`)).toBe('yes\n')
    await sh.expectFailure('kubectl auth can-i delete pods --as=jane')
  })

  it('create quota and priorityclass, which take effect', async () => {
    const sh = await lab.open(kubectl, 'limits')
    await sh('kubectl create quota small --hard=pods=1,configmaps=3')
    await sh.eventually(
      'kubectl get quota small -o jsonpath={.status}',
      /"used":{"configmaps":"1","pods":"0"}/,
    )
    await sh(`kubectl create priorityclass high-${minor} --value=1000 --description=high`)
    expect(await sh(`kubectl get priorityclass high-${minor}`)).toMatch(/^NAME +VALUE +GLOBAL-DEFAULT +AGE/)
    await sh(`kubectl run first --image=nginx --overrides='{"spec":{"priorityClassName":"high-${minor}"}}'`)
    expect(await sh('kubectl get pod first -o jsonpath="{.spec.priority} {.spec.preemptionPolicy}"')).toBe(
      '1000 PreemptLowerPriority',
    )
    expect(await sh.expectFailure('kubectl run second --image=nginx')).toContain(
      'pods "second" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1',
    )
  })

  it('create service clusterip, nodeport, externalname, loadbalancer', async () => {
    const sh = await lab.open(kubectl, 'services')
    await sh('kubectl create service clusterip inner --tcp=80:8080')
    await sh('kubectl create service clusterip headless --clusterip=None')
    await sh('kubectl create service nodeport outer --tcp=80:8080')
    await sh('kubectl create service loadbalancer balanced --tcp=443:8443')
    await sh('kubectl create service externalname away --external-name=example.com')
    const table = await sh('kubectl get svc')
    expect(table).toMatch(/^away +ExternalName +<none> +example\.com +<none>/m)
    expect(table).toMatch(/^balanced +LoadBalancer +10\.[\d.]+ +<pending> +443:3\d{4}\/TCP/m)
    expect(table).toMatch(/^headless +ClusterIP +None +<none> +<none>/m)
    expect(table).toMatch(/^inner +ClusterIP +10\.[\d.]+ +<none> +80\/TCP/m)
    expect(table).toMatch(/^outer +NodePort +10\.[\d.]+ +<none> +80:3[0-2]\d{3}\/TCP/m)
  })

  it('create ingress', async () => {
    const sh = await lab.open(kubectl, 'ingress')
    await sh(
      'kubectl create ingress shop --class=nginx --rule="shop.example/cart*=cart:80" --rule="shop.example/=web:http,tls=cert"',
    )
    expect(await sh('kubectl get ingress')).toMatch(
      /^NAME +CLASS +HOSTS +ADDRESS +PORTS +AGE\nshop +nginx +shop\.example +80, 443/,
    )
    const [rule] = JSON.parse(await sh('kubectl get ingress shop -o json')).spec.rules
    expect(rule.http.paths).toEqual([
      { path: '/cart', pathType: 'Prefix', backend: { service: { name: 'cart', port: { number: 80 } } } },
      { path: '/', pathType: 'Exact', backend: { service: { name: 'web', port: { name: 'http' } } } },
    ])
  })

  it('create -f: a file, several objects, generateName, errors', async () => {
    const sh = await lab.open(kubectl, 'files')
    expect(await sh('kubectl create -f -', webConfig('one'))).toBe('configmap/web created\n')
    expect(await sh.expectFailure('kubectl create -f -', 1, webConfig('one'))).toBe(
      'Error from server (AlreadyExists): error when creating "STDIN": configmaps "web" already exists\n',
    )
    const generated = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"gen-"}}'
    expect(await sh('kubectl create -f -', generated)).toMatch(/^configmap\/gen-[a-z0-9]{5} created\n$/)
    const unknown = await sh.expectFailure(
      'kubectl create -f -',
      1,
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndatum: {}\n',
    )
    expect(unknown).toMatch(
      minor < 25
        ? /unknown field "datum" in io\.k8s\.api\.core\.v1\.ConfigMap/
        : /strict decoding error: unknown field "datum"/,
    )
    expect(
      await sh.expectFailure(
        'kubectl create -f -',
        1,
        'apiVersion: nope/v1\nkind: Nope\nmetadata: {name: x}\n',
      ),
    ).toMatch(/no matches for kind "Nope" in version "nope\/v1"/)
    expect(
      await sh.expectFailure(
        'kubectl create -f - --validate=false',
        1,
        webConfig('one').replace('name: web', 'name: Bad_Name'),
      ),
    ).toContain('metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of')
    expect(
      await sh(
        'kubectl create -f - --save-config -o name',
        webConfig('one').replace('name: web', 'name: saved'),
      ),
    ).toBe('configmap/saved\n')
  })

  it('run', async () => {
    const sh = await lab.open(kubectl, 'run')
    expect(
      await sh('kubectl run web --image=nginx:1.27 --port=80 --env=A=1 --labels=tier=front --expose'),
    ).toBe('service/web created\npod/web created\n')
    await sh.eventually('kubectl get pod web', /Running/)
    expect(await sh('kubectl get pod web -o jsonpath="{.spec.containers[0].env} {.metadata.labels}"')).toBe(
      '[{"name":"A","value":"1"}] {"tier":"front"}',
    )
    expect(await sh('kubectl run once --image=busybox --restart=Never --command -- sh -c "echo once"')).toBe(
      'pod/once created\n',
    )
    await sh.eventually('kubectl get pod once', /Completed/)
    expect(await sh.expectFailure('kubectl run web --image=nginx')).toContain('pods "web" already exists')
  })

  it('run -i --rm', async () => {
    const sh = await lab.open(kubectl, 'run-rm')
    const { code, stdout } = await sh.run(
      'kubectl run shell -i --rm --restart=Never --image=busybox --command -- sh',
      'sleep 1; echo said $((40 + 2))\n',
    )
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('said 42') })
    await sh.eventually('kubectl get pods 2>&1', /No resources found/)
  })

  it('expose', async () => {
    const sh = await lab.open(kubectl, 'expose')
    await sh('kubectl create deployment web --image=nginx:1.27 --port=8080')
    expect(await sh('kubectl expose deployment web --port=80 --target-port=8080')).toBe(
      'service/web exposed\n',
    )
    await sh.eventually('kubectl get endpoints web 2>/dev/null', /10\.244\.\d+\.\d+:8080/)
    await sh('kubectl expose service web --name=outside --type=NodePort --port=80 --target-port=8080')
    expect(await sh('kubectl get svc outside -o jsonpath="{.spec.type} {.spec.selector}"')).toBe(
      'NodePort {"app":"web"}',
    )
    expect(await sh.expectFailure('kubectl expose deployment web --port=80')).toContain(
      'services "web" already exists',
    )
  })
})
