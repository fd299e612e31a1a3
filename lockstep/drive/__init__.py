"""Running software in step with a model: what it does must be what the model may do.

from lockstep.drive import NOT_DONE, Driver, Took, driven
"""

from lockstep.drive.driven import driven
from lockstep.drive.driver import NOT_DONE, Driver, Took

__all__ = ["NOT_DONE", "Driver", "Took", "driven"]
