"""Calls the alerts service through azure-mgmt-authorization as a program of its users would, and checks what the client makes of the
responses. azure-client.ts starts the service and sets the environment."""

import json
import os
import ssl
import time
import urllib.parse
import urllib.request

from azure.core.credentials import AccessToken
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ResourceNotFoundError
from azure.mgmt.authorization.v2022_08_01_preview import AuthorizationManagementClient
from azure.mgmt.authorization.v2022_08_01_preview.models import Alert

URL = os.environ["SERVICE_URL"]
CA = os.environ["SERVICE_CA"]
SCOPE = "subscriptions/one"
OWNERS = "TooManyOwnersAssignedToResource"
KINDS = ["TooManyPermanentOwnersAssignedToResource", OWNERS, "AzureRolesAssignedOutsidePim", "DuplicateRoleCreated"]


class ClientCredentials:
    """Gets its tokens from the token endpoint, as the client's own credentials do from theirs."""

    def get_token(self, *scopes, **kwargs):
        form = {"grant_type": "client_credentials", "client_id": "azure", "client_secret": os.environ["CLIENT_SECRET"]}
        body = urllib.parse.urlencode(form).encode()
        context = ssl.create_default_context(cafile=CA)
        with urllib.request.urlopen(f"{URL}/common/oauth2/token", body, context=context) as response:
            answer = json.load(response)
        return AccessToken(answer["access_token"], int(time.time()) + answer["expires_in"])


class WrongToken:
    def get_token(self, *scopes, **kwargs):
        return AccessToken("wrong-token-of-this-test", int(time.time()) + 3600)


class Counter:
    """Counts the responses by status."""

    def __init__(self):
        self.statuses = []

    def __call__(self, response):
        self.statuses.append(response.http_response.status_code)


def client(credential):
    return AuthorizationManagementClient(credential, base_url=URL, connection_verify=CA)


def expect(actual, wanted, what):
    if actual != wanted:
        raise AssertionError(f"{what}: {actual!r} instead of {wanted!r}")
    print(f"ok: {what}")


def error_of(call):
    """The class, the status and the code of the error that the client raises."""
    try:
        call()
    except HttpResponseError as error:
        return type(error), error.status_code, error.error.code if error.error else None
    raise AssertionError("no error")


with client(ClientCredentials()) as service:
    seen = Counter()
    alerts = list(service.alerts.list_for_scope(SCOPE, raw_response_hook=seen))
    expect([alert.name for alert in alerts], KINDS, "lists the alerts of a scope over two pages")
    expect(seen.statuses, [429, 503, 200, 200], "repeats a list after 429 and 503 as Retry-After asks")
    # The models of the client look for the discriminators in the wrong place, so it has one class for all kinds.
    configurations = [(alert.alert_configuration.is_enabled, alert.alert_configuration.scope) for alert in alerts]
    expect(configurations, [(True, SCOPE)] * 4, "reads the configuration of each kind")
    incidents = [[incident.name for incident in alert.alert_incidents] for alert in alerts]
    expect(incidents, [["1"]] * 4, "reads the incidents of each kind")
    first = alerts[0]
    expect(first.last_scanned_date_time.isoformat(), "2022-01-16T10:00:00.123000+00:00", "reads a time")
    expect(first.alert_definition.severity_level, "High", "reads a definition")
    expect((first.incident_count, first.scope, first.is_active), (1, SCOPE, True), "reads the members of an alert")

    def flags(scope):
        return {alert.name: alert.is_active for alert in service.alerts.list_for_scope(scope)}

    for is_active in (False, True):
        expect(service.alerts.update(SCOPE, OWNERS, Alert(is_active=is_active)), None, f"sets isActive to {is_active}")
        expect(flags(SCOPE), {kind: is_active or kind != OWNERS for kind in KINDS}, "changes this alert and no other")
    expect(list(flags(f"/{SCOPE}")), KINDS, "lists a scope with a leading slash")

    unknown_scope = error_of(lambda: list(service.alerts.list_for_scope("subscriptions/none")))
    expect(unknown_scope, (ResourceNotFoundError, 404, "ScopeNotFound"), "raises the code for an unknown scope")
    unknown_alert = error_of(lambda: service.alerts.update(SCOPE, "None", Alert(is_active=False)))
    expect(unknown_alert[1:], (404, "AlertNotFound"), "raises the code for an unknown alert")
    empty = error_of(lambda: service.alerts.update(SCOPE, OWNERS, Alert()))
    expect(empty[1:], (400, "InvalidBody"), "raises the code for an update without a flag")
    single = error_of(lambda: service.alerts.get(SCOPE, OWNERS))
    expect(single[1:], (405, "MethodNotAllowed"), "raises the code for an operation that the contract does not have")
    other = error_of(lambda: list(service.alert_definitions.list_for_scope(SCOPE)))
    expect(other[1:], (404, "RouteNotFound"), "raises the code for a resource that the contract does not have")

with client(WrongToken()) as stranger:
    refused = error_of(lambda: list(stranger.alerts.list_for_scope(SCOPE)))
    expect(refused[0:2], (ClientAuthenticationError, 401), "raises an authentication error for a wrong token")
