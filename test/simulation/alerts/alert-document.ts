// One alert as a list returns it: section 2 of the specification, member by member.
import type { SimAlert } from './sim-alert.ts';

const namespace = 'Vendor.Authorization';

export function alertDocument(scope: string, alert: SimAlert, isActive: boolean): object {
  const base = `/${scope}/providers/${namespace}`;
  const { name, incidents, hiddenIncidents, severity, isEnabled } = alert;
  const definition = {
    id: `${base}/roleManagementAlertDefinitions/${name}`,
    name,
    type: `${namespace}/roleManagementAlertDefinitions`,
    properties: { displayName: name, description: 'An alert.', severityLevel: severity, scope },
  };
  return {
    id: `${base}/roleManagementAlerts/${name}`,
    name,
    type: `${namespace}/roleManagementAlerts`,
    systemData: { lastModifiedAt: iso(alert.modified.atMs), lastModifiedByType: alert.modified.byType },
    properties: {
      isActive,
      incidentCount: incidents.length + hiddenIncidents,
      scope,
      lastModifiedDateTime: iso(alert.changedAtMs),
      lastScannedDateTime: iso(alert.scannedAtMs),
      alertDefinition: definition,
      alertConfiguration: {
        id: `${base}/roleManagementAlertConfigurations/${name}`,
        name,
        type: `${namespace}/roleManagementAlertConfigurations`,
        properties: { alertConfigurationType: `${name}AlertConfiguration`, isEnabled, alertDefinitionId: name, scope },
      },
      alertIncidents: incidents.map(({ id, type, assigneeName }) => ({
        id: `${base}/roleManagementAlerts/${name}/alertIncidents/${id}`,
        name: id,
        type: `${namespace}/roleManagementAlerts/alertIncidents`,
        properties: { alertIncidentType: type, assigneeName, assigneeType: 'User' },
      })),
    },
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
