/** Deployments with the names, ports and resources of Train-Ticket's fifty workloads. */

export interface DeploymentManifest {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace: string; labels: Record<string, string> }
  spec: object
}

/** Train-Ticket's workloads: `name:port`. */
const SERVICES = `
ts-admin-basic-info-service:18767 ts-admin-order-service:16112 ts-admin-route-service:16113
ts-admin-travel-service:16114 ts-admin-user-service:16115 ts-assurance-service:18888
ts-auth-service:12340 ts-avatar-service:17001 ts-basic-service:15680 ts-cancel-service:18885
ts-config-service:15679 ts-consign-price-service:16110 ts-consign-service:16111 ts-contacts-service:12347
ts-delivery-service:18808 ts-execute-service:12386 ts-food-service:18856 ts-food-delivery-service:18957
ts-gateway-service:18888 ts-inside-payment-service:18673 ts-news-service:12862
ts-notification-service:17853 ts-order-other-service:12032 ts-order-service:12031
ts-payment-service:19001 ts-preserve-other-service:14569 ts-preserve-service:14568 ts-price-service:16579
ts-rebook-service:18886 ts-route-plan-service:14578 ts-route-service:11178 ts-seat-service:18898
ts-security-service:11188 ts-station-food-service:18855 ts-station-service:12345
ts-ticket-office-service:16108 ts-train-food-service:19999 ts-train-service:14567
ts-travel-plan-service:14322 ts-travel-service:12346 ts-travel2-service:16346 ts-user-service:12342
ts-verification-code-service:15678 ts-voucher-service:16101 ts-wait-order-service:17525
ts-ui-dashboard:8080 tsdb-mysql:3306 nacosdb-mysql:3306 nacos:8848 rabbitmq:5672
`
  .trim()
  .split(/\s+/)
  .map((entry) => entry.split(':') as [name: string, port: string])

export const deploymentOf = (
  name: string,
  image: string,
  replicas: number,
  port = 8080,
): DeploymentManifest => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default', labels: { app: name } },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          {
            name: 'c',
            image,
            ports: [{ containerPort: port }],
            env: [{ name: 'NODE_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } }],
            resources: {
              requests: { cpu: '10m', memory: '30Mi' },
              limits: { cpu: '500m', memory: '2000Mi' },
            },
            readinessProbe: {
              tcpSocket: { port },
              initialDelaySeconds: 1,
              periodSeconds: 10,
              timeoutSeconds: 5,
            },
          },
        ],
      },
    },
  },
})

export const trainTicketDeployments = (): DeploymentManifest[] =>
  SERVICES.map(([name, port]) => deploymentOf(name, `codewisdom/${name}:1.0.0`, 1, Number(port)))
